// Writes Prometheus' text exposition format (version 0.0.4) into one buffer. Written by hand
// because prometheus-cpp's model and serializer alone cost more than half of the whole CPU budget
// of a scrape: bench/README.md has the numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rdmadiag::exporters {

enum class FamilyType : std::uint8_t { kCounter, kGauge, kHistogram, kUntyped };

// Appends `name="value"` to `labels`, comma first where needed; the value escaped and made valid
// UTF-8. Label sets are built once and used for many samples.
void append_label(std::string& labels, std::string_view name, std::string_view value);

class Exposition {
 public:
  // `out` is appended to and must outlive this.
  explicit Exposition(std::string& out) : out_(out) {}

  // Starts a family; its samples must follow before the next call. Nothing is written before the
  // first sample: a family without samples is absent. `name` and `help` must live that long.
  void family(std::string_view name, FamilyType type, std::string_view help);

  // `labels` as made by append_label; may be empty.
  void sample(std::string_view labels, double value);
  void sample(std::string_view labels, std::uint64_t value);
  void sample(std::string_view labels, std::signed_integral auto value) {
    if (value < 0) {
      sample(labels, static_cast<double>(value));
    } else {
      sample(labels, static_cast<std::uint64_t>(value));
    }
  }
  void sample(std::string_view labels, std::unsigned_integral auto value) {
    sample(labels, static_cast<std::uint64_t>(value));
  }
  // Of a kHistogram family: `counts` per bucket, one more than `bounds`, not cumulative.
  void histogram(std::string_view labels, std::span<const double> bounds,
                 std::span<const std::uint64_t> counts, double sum);

 private:
  void begin_header();

  std::string& out_;
  std::string_view name_;
  std::string_view help_;
  FamilyType type_ = FamilyType::kUntyped;
  bool header_pending_ = false;
};

}  // namespace rdmadiag::exporters
