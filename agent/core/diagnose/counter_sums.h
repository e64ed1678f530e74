// The counters of one port or device at two moments, summed by metric in one pass: many rules ask
// about them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// Some metrics of the catalogue, looked up by name once. At most kMaxMetrics; names that the
// catalogue does not know, empty ones too, are left out.
class MetricSet {
 public:
  static constexpr std::size_t kMaxMetrics = 3;

  explicit MetricSet(std::span<const std::string_view> names);
  MetricSet(std::initializer_list<std::string_view> names)
      : MetricSet(std::span(names.begin(), names.size())) {}

  // Positions in all_metrics().
  [[nodiscard]] std::span<const std::size_t> positions() const {
    return std::span(positions_).first(count_);
  }

 private:
  std::array<std::size_t, kMaxMetrics> positions_{};
  std::size_t count_ = 0;
};

class CounterSums {
 public:
  // `before` may be null: nothing has then increased.
  CounterSums(const std::vector<CounterSample>& now, const std::vector<CounterSample>* before);

  [[nodiscard]] bool has_before() const { return has_before_; }

  // The sum of all counters with one of these metrics, scaled; empty when there is none.
  [[nodiscard]] std::optional<double> total(const MetricSet& metrics) const;
  // The same, as an increase. Empty when the counter is missing at either moment or fell (a reset
  // is a new baseline, not a change).
  [[nodiscard]] std::optional<double> increase(const MetricSet& metrics) const;

 private:
  struct Sum {
    double total = 0;
    double increase = 0;
    bool has_increase = false;
  };

  // Null when no counter has the metric.
  [[nodiscard]] const Sum* find(std::size_t position) const {
    return places_[position] == 0 ? nullptr : &sums_[places_[position] - 1U];
  }

  // By position in all_metrics(): where the sum is in sums_, counted from 1; 0 when there is none.
  // Few of the catalogue's metrics are those of one device.
  std::vector<std::uint16_t> places_;
  std::vector<Sum> sums_;
  bool has_before_;
};

}  // namespace rdmadiag::core
