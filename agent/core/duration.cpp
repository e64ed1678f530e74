#include <array>
#include <charconv>

#include "agent/core/strict_reader.h"

namespace rdmadiag::core {
namespace {

using std::chrono::nanoseconds;

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// "ms" before "m": the first that matches is taken.
constexpr std::array<Unit, 7> kUnits = {{{"d", 86'400'000'000'000},
                                         {"h", 3'600'000'000'000},
                                         {"ms", 1'000'000},
                                         {"m", 60'000'000'000},
                                         {"us", 1'000},
                                         {"s", 1'000'000'000},
                                         {"ns", 1}}};

constexpr std::int64_t kLongest = 3'650 * kUnits[0].nanoseconds;

const Unit* unit_at(std::string_view text) {
  for (const Unit& unit : kUnits)
    if (text.starts_with(unit.name)) return &unit;
  return nullptr;
}

}  // namespace

std::optional<nanoseconds> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    std::int64_t amount = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
    if (error != std::errc{} || amount < 0 || text.front() == '-') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const Unit* unit = unit_at(text);
    if (unit == nullptr || amount > kLongest / unit->nanoseconds) return std::nullopt;
    text.remove_prefix(unit->name.size());
    total += amount * unit->nanoseconds;
    if (total > kLongest) return std::nullopt;
  }
  return nanoseconds(total);
}

std::string format_duration(nanoseconds duration) {
  constexpr std::array<Unit, 7> kDescending = {kUnits[0], kUnits[1], kUnits[3], kUnits[5],
                                               kUnits[2], kUnits[4], kUnits[6]};
  std::int64_t rest = duration.count();
  std::string text;
  for (const Unit& unit : kDescending) {
    const std::int64_t amount = rest / unit.nanoseconds;
    if (amount == 0) continue;
    text += std::to_string(amount);
    text += unit.name;
    rest -= amount * unit.nanoseconds;
  }
  return text.empty() ? "0s" : text;
}

}  // namespace rdmadiag::core
