#include "agent/core/changes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace rdmadiag::core {
namespace {

using Key = std::pair<CounterSource, std::string_view>;

Key key_of(const CounterSample& sample) { return {sample.source, sample.name()}; }

bool is_gauge(const CounterSample& sample) {
  return sample.spec != nullptr && sample.spec->metric->type == MetricType::kGauge;
}

bool differ(std::string_view a, std::string_view b) { return !a.empty() && !b.empty() && a != b; }

}  // namespace

const DeviceSnapshot* find_device(const HostSnapshot& host, std::string_view name) {
  const auto found = std::find_if(host.devices.begin(), host.devices.end(),
                                  [&](const DeviceEntry& entry) { return entry.name == name; });
  return found == host.devices.end() ? nullptr : found->snapshot.get();
}

const PortSnapshot* find_port(const DeviceSnapshot* device, std::uint32_t number) {
  if (device == nullptr) return nullptr;
  const auto found = std::find_if(device->ports.begin(), device->ports.end(),
                                  [&](const PortSnapshot& port) { return port.number == number; });
  return found == device->ports.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> increase(std::uint64_t before, std::uint64_t now) {
  if (now < before) return std::nullopt;
  return now - before;
}

std::vector<CounterChange> counter_changes(std::span<const CounterSample> before,
                                           std::span<const CounterSample> now,
                                           std::chrono::nanoseconds interval) {
  std::map<Key, std::uint64_t> earlier;
  for (const CounterSample& sample : before) earlier.emplace(key_of(sample), sample.value);
  const double seconds = std::chrono::duration<double>(interval).count();

  std::vector<CounterChange> changes;
  changes.reserve(now.size());
  for (const CounterSample& sample : now) {
    CounterChange change{sample, std::nullopt, std::nullopt, false, sample.saturated()};
    const auto old = earlier.find(key_of(sample));
    if (old != earlier.end() && !is_gauge(sample)) {
      change.increase = increase(old->second, sample.value);
      change.reset = !change.increase.has_value();
    }
    if (change.increase && seconds > 0) {
      const double scale = sample.spec == nullptr ? 1 : sample.spec->scale;
      change.per_second = static_cast<double>(*change.increase) * scale / seconds;
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

DeviceChanges device_changes(const DeviceSnapshot* before, const DeviceSnapshot& now) {
  if (before != nullptr && !is_same_device(*before, now)) before = nullptr;
  DeviceChanges changes;
  changes.name = now.name;
  if (before != nullptr) changes.interval = now.read_steady - before->read_steady;
  changes.counters = counter_changes(
      before == nullptr ? std::span<const CounterSample>{} : std::span(before->counters),
      now.counters, changes.interval);
  for (const PortSnapshot& port : now.ports) {
    const PortSnapshot* old = find_port(before, port.number);
    changes.ports.push_back(
        {port.number, counter_changes(old == nullptr ? std::span<const CounterSample>{}
                                                     : std::span(old->counters),
                                      port.counters, changes.interval)});
  }
  return changes;
}

std::vector<DeviceChanges> host_changes(const HostSnapshot& before, const HostSnapshot& now) {
  std::vector<DeviceChanges> changes;
  for (const DeviceEntry& entry : now.devices) {
    if (entry.snapshot == nullptr) continue;
    changes.push_back(device_changes(find_device(before, entry.name), *entry.snapshot));
  }
  return changes;
}

bool is_same_device(const DeviceSnapshot& a, const DeviceSnapshot& b) {
  return a.name == b.name && !differ(a.node_guid, b.node_guid) &&
         !differ(a.pcie.address, b.pcie.address);
}

}  // namespace rdmadiag::core
