// What moved between two reads of the same counters. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// Empty when the counter fell: a reset, a driver reload or another device under the same name. The
// new value is then a baseline, not a change.
[[nodiscard]] std::optional<std::uint64_t> increase(std::uint64_t before, std::uint64_t now);

struct CounterChange {
  CounterSample sample;  // as read last
  // Raw, as the kernel counts. Empty without an earlier value, after a reset, and for gauges.
  std::optional<std::uint64_t> increase;
  // In the metric's base unit (bytes, seconds, events). Empty without an increase or an interval.
  std::optional<double> per_second;
  bool reset = false;
  bool saturated = false;  // stands at its maximum: an increase of 0 says nothing
};

struct PortChanges {
  std::uint32_t number = 0;
  std::vector<CounterChange> counters;
};

struct DeviceChanges {
  std::string name;
  std::chrono::nanoseconds interval{0};  // between the two reads; 0 when there is no earlier one
  std::vector<CounterChange> counters;   // of the device scope
  std::vector<PortChanges> ports;
};

// One entry for each counter of `now`, in its order. `interval` of zero or less gives no rates.
[[nodiscard]] std::vector<CounterChange> counter_changes(std::span<const CounterSample> before,
                                                         std::span<const CounterSample> now,
                                                         std::chrono::nanoseconds interval);

// `before` may be null: all counters are then new. So they are when the two are not the same piece
// of hardware.
[[nodiscard]] DeviceChanges device_changes(const DeviceSnapshot* before, const DeviceSnapshot& now);

// One entry for each device of `now` that could be read.
[[nodiscard]] std::vector<DeviceChanges> host_changes(const HostSnapshot& before,
                                                      const HostSnapshot& now);

// Null where there is none of that name, or it was not read.
[[nodiscard]] const DeviceSnapshot* find_device(const HostSnapshot& host, std::string_view name);

// `device` may be null.
[[nodiscard]] const PortSnapshot* find_port(const DeviceSnapshot* device, std::uint32_t number);

// False when a name now stands for other hardware. Where neither side knows what it is, the name
// alone decides.
[[nodiscard]] bool is_same_device(const DeviceSnapshot& a, const DeviceSnapshot& b);

}  // namespace rdmadiag::core
