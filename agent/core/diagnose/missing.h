// Whether what a rule misses is not offered by the device, or is there and could not be read.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/diagnose/counter_sums.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// The issue is how a driver says that it has no such value, which is no failure.
[[nodiscard]] bool says_not_offered(const ReadIssue& issue);

// Why a port (0: the device itself) has no counter with one of these metrics: "the driver has no
// such counter", or that it could not be read.
[[nodiscard]] std::string why_missing(const DeviceSnapshot& device, std::uint32_t port,
                                      const MetricSet& metrics);

// The same of the counters that `ethtool -S` shows of a netdev.
[[nodiscard]] std::string why_missing(const DeviceSnapshot& device, const NetdevSnapshot& netdev);

// The port's state, or every counter of a kind that it has, could not be read: nothing can be said
// of it. One odd file among many is no reason to be silent about the rest.
[[nodiscard]] bool is_unreadable(const DeviceSnapshot& device, const PortSnapshot& port);

}  // namespace rdmadiag::core
