// devlink of a device: its health reporters, what the "vnic" reporter diagnoses (CQ and EQ
// overruns), firmware versions. Handles are found by the PCI function and the netdevs' parents.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/host/device_source.h"
#include "agent/host/generic_netlink.h"
#include "agent/host/launch.h"

namespace rdmadiag::host {

// Which reporters there are on this host. Listing them takes every device's devlink lock, and a
// device in recovery keeps its own: so the list is made beside the readers, which then ask for
// their own device's reporters by name. Shared by all devices; safe to call from any thread.
class DevlinkReporters {
 public:
  DevlinkReporters(std::shared_ptr<GenericNetlink> devlink, Launch launch);

  // Lists anew when that was longer ago than the interval.
  void list_if_due(core::SteadyTime now);

  // Of the last finished list.
  [[nodiscard]] std::vector<core::HealthReporter> of(const std::set<std::string>& handles) const;
  [[nodiscard]] std::set<std::string> handles() const;
  [[nodiscard]] std::uint64_t lists() const;  // how many have been finished
  [[nodiscard]] const std::shared_ptr<GenericNetlink>& netlink() const { return devlink_; }

  static constexpr std::chrono::seconds kInterval{30};

 private:
  struct Shared {
    std::mutex mutex;
    bool busy = false;
    std::optional<core::SteadyTime> started;
    std::vector<core::HealthReporter> reporters;
    std::uint64_t lists = 0;
  };

  const std::shared_ptr<GenericNetlink> devlink_;
  const Launch launch_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// The live kernel's. A program that reads once passes launch_here.
[[nodiscard]] std::shared_ptr<DevlinkReporters> make_devlink_reporters(
    Launch launch = launch_thread);

// Reads after the netdevs are known.
[[nodiscard]] DeviceSourceFactory devlink_source(std::shared_ptr<DevlinkReporters> reporters);

}  // namespace rdmadiag::host
