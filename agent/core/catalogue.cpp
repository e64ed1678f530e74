#include "agent/core/catalogue.h"

#include <algorithm>
#include <tuple>

namespace rdmadiag::core {
namespace {

auto key_of(const CounterSpec& spec) { return std::tuple(spec.source, spec.driver, spec.name); }

const CounterSpec* find_exact(CounterSource source, std::string_view driver,
                              std::string_view name) {
  const std::span<const CounterSpec> rows = all_counters();
  const auto key = std::tuple(source, driver, name);
  const auto found =
      std::lower_bound(rows.begin(), rows.end(), key,
                       [](const CounterSpec& row, const auto& k) { return key_of(row) < k; });
  return found != rows.end() && key_of(*found) == key ? &*found : nullptr;
}

}  // namespace

const CounterSpec* find_counter(CounterSource source, std::string_view driver,
                                std::string_view name) {
  const CounterSpec* own = find_exact(source, driver, name);
  return own != nullptr ? own : find_exact(source, "", name);
}

}  // namespace rdmadiag::core
