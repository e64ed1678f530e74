// Which counters the burst sampler reads of each port. Pure: what the last snapshot has is there
// and may be read, so that nothing is read here that the reader of the device leaves alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/burst.h"
#include "agent/core/snapshot.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

struct BurstFile {
  core::BurstCounter counter = core::BurstCounter::kRxBytes;
  std::string path;
  double scale = 1;  // raw value × scale is in bytes, packets or frames
  bool operator==(const BurstFile&) const = default;
};

struct BurstPort {
  std::string device;
  std::uint32_t port = 0;
  std::vector<BurstFile> files;
  // The netdev whose private statistics count pause frames, and its driver; empty: none does.
  std::string pause_netdev;
  std::string pause_driver;
  std::optional<double> line_rate;  // bytes per second each way
  bool operator==(const BurstPort&) const = default;
};

// The port's own byte counters where there are any; else those of its netdev, as for soft-RoCE. A
// virtual function has no pause counters of its own, and a bond's members are not added up.
[[nodiscard]] std::vector<BurstPort> burst_ports(const Roots& roots,
                                                 const core::DeviceSnapshot& device);

// What a netdev's private statistic counts, if the sampler wants it.
struct PauseStatistic {
  core::BurstCounter counter = core::BurstCounter::kRxPause;
  bool all_priorities = false;  // the sum of what may be there by priority too
};
[[nodiscard]] std::optional<PauseStatistic> pause_statistic(const core::CounterSample& sample);

}  // namespace rdmadiag::host
