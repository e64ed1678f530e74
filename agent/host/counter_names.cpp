#include "agent/host/counter_names.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace rdmadiag::host {
namespace {

// Drivers that know most of the names; those of any driver do not count.
std::vector<std::string_view> best_drivers(core::CounterSource source,
                                           std::span<const std::string_view> names) {
  std::map<std::string_view, std::size_t> known;
  for (const core::CounterSpec& row : core::all_counters()) {
    if (row.source != source || row.driver.empty()) continue;
    if (std::find(names.begin(), names.end(), row.name) != names.end()) ++known[row.driver];
  }
  std::size_t most = 0;
  for (const auto& [driver, count] : known) most = std::max(most, count);
  std::vector<std::string_view> best;
  for (const auto& [driver, count] : known) {
    if (count == most) best.push_back(driver);
  }
  return best;
}

bool read_alike(const core::CounterSpec& a, const core::CounterSpec& b) {
  return a.metric == b.metric && a.scale == b.scale;
}

const core::CounterSpec* agreed_row(core::CounterSource source,
                                    std::span<const std::string_view> drivers,
                                    std::string_view name) {
  const core::CounterSpec* agreed = core::find_counter(source, "", name);
  for (const std::string_view driver : drivers) {
    const core::CounterSpec* row = core::find_counter(source, driver, name);
    if (row == nullptr) continue;
    if (agreed != nullptr && !read_alike(*agreed, *row)) return nullptr;
    agreed = row;
  }
  return agreed;
}

}  // namespace

std::vector<const core::CounterSpec*> find_rows(core::CounterSource source, std::string_view driver,
                                                std::span<const std::string_view> names) {
  std::vector<const core::CounterSpec*> rows;
  rows.reserve(names.size());
  if (!driver.empty()) {
    for (const std::string_view name : names) {
      rows.push_back(core::find_counter(source, driver, name));
    }
    return rows;
  }
  const std::vector<std::string_view> drivers = best_drivers(source, names);
  for (const std::string_view name : names) rows.push_back(agreed_row(source, drivers, name));
  return rows;
}

}  // namespace rdmadiag::host
