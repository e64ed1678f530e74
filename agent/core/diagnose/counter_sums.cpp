#include "agent/core/diagnose/counter_sums.h"

#include <algorithm>
#include <cassert>

namespace rdmadiag::core {
namespace {

// Both moments mostly list the same counters in the same order.
const CounterSample* find_earlier(const std::vector<CounterSample>& before, std::size_t likely,
                                  const CounterSpec* spec) {
  if (likely < before.size() && before[likely].spec == spec) return &before[likely];
  const auto found = std::find_if(before.begin(), before.end(),
                                  [&](const CounterSample& sample) { return sample.spec == spec; });
  return found == before.end() ? nullptr : &*found;
}

}  // namespace

MetricSet::MetricSet(std::span<const std::string_view> names) {
  const std::span<const MetricSpec> metrics = all_metrics();
  for (const std::string_view name : names) {
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const MetricSpec& metric) { return metric.name == name; });
    if (found == metrics.end()) continue;
    assert(count_ < kMaxMetrics);
    positions_[count_++] = static_cast<std::size_t>(found - metrics.begin());
  }
}

CounterSums::CounterSums(const std::vector<CounterSample>& now,
                         const std::vector<CounterSample>* before)
    : places_(all_metrics().size()), has_before_(before != nullptr) {
  const MetricSpec* const first = all_metrics().data();
  sums_.reserve(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) {
    const CounterSample& sample = now[i];
    if (sample.spec == nullptr) continue;
    std::uint16_t& place = places_[static_cast<std::size_t>(sample.spec->metric - first)];
    if (place == 0) {
      sums_.emplace_back();
      place = static_cast<std::uint16_t>(sums_.size());
    }
    Sum& sum = sums_[place - 1U];
    sum.total += static_cast<double>(sample.value) * sample.spec->scale;
    if (before == nullptr) continue;
    const CounterSample* const earlier = find_earlier(*before, i, sample.spec);
    if (earlier == nullptr || earlier->value > sample.value) continue;
    sum.increase += static_cast<double>(sample.value - earlier->value) * sample.spec->scale;
    sum.has_increase = true;
  }
}

std::optional<double> CounterSums::total(const MetricSet& metrics) const {
  std::optional<double> total;
  for (const std::size_t position : metrics.positions()) {
    if (const Sum* const sum = find(position)) total = total.value_or(0) + sum->total;
  }
  return total;
}

std::optional<double> CounterSums::increase(const MetricSet& metrics) const {
  std::optional<double> increase;
  for (const std::size_t position : metrics.positions()) {
    const Sum* const sum = find(position);
    if (sum != nullptr && sum->has_increase) increase = increase.value_or(0) + sum->increase;
  }
  return increase;
}

}  // namespace rdmadiag::core
