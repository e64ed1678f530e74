// Reads a transceiver now and then, beside the device's reader: module memory comes over a slow bus
// through the firmware, and a scrape must not wait for it. A read that never ends is left alone and
// none is started after it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/nic.h"
#include "agent/host/generic_netlink.h"
#include "agent/host/launch.h"

namespace rdmadiag::host {

struct ModuleResult {
  std::optional<core::ModuleSnapshot> module;
  std::vector<core::Error> problems;  // of the last read, the whole or pages of it
  std::uint64_t reads = 0;            // finished so far: tells a new result from the one before
};

// Of one netdev; used by its device's reader thread.
class ModuleReader {
 public:
  ModuleReader(std::string netdev, std::shared_ptr<GenericNetlink> ethtool, Launch launch);

  // What the last finished read gave. Starts another when the last began longer ago than the
  // interval.
  [[nodiscard]] ModuleResult poll(core::SteadyTime now, core::SystemTime wall);

  static constexpr std::chrono::seconds kInterval{60};

 private:
  struct Shared {
    std::mutex mutex;
    bool busy = false;
    ModuleResult result;
  };

  const std::string netdev_;
  const std::shared_ptr<GenericNetlink> ethtool_;
  const Launch launch_;
  const std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
  std::optional<core::SteadyTime> started_;
};

}  // namespace rdmadiag::host
