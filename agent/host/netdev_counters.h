// Which of a netdev's many counts become samples: the driver's own first, the standard ones where
// it is silent, and never one port's counts under a virtual function's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::host {

// True for counters of the physical port, which a virtual function shares with others: PFC, pause,
// lane, FEC, PCIe, transceiver, and everything counted by priority or at the MAC.
[[nodiscard]] bool is_port_wide(const core::CounterSpec& spec);

// Standard counts of one kernel answer. A count is taken when its metric was not there before this
// answer, and not yet in this answer for the same index: two sources of one count are not added up.
// They are all the port's: nothing is taken for a virtual function.
class StandardCounts {
 public:
  StandardCounts(core::NetdevSnapshot& netdev, std::string_view driver);
  void add(std::string_view name, std::uint64_t value);

 private:
  core::NetdevSnapshot& netdev_;
  const std::string driver_;
  const std::size_t before_;
};

}  // namespace rdmadiag::host
