// What ports ran at since this process started: a port that trained down has no other witness.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// Highest rate seen on a port since start, in bits per second, by device and port number.
using RateHistory = std::map<std::pair<std::string, std::uint32_t>, double>;

// Not thread-safe; owned by whoever looks at the snapshots.
class PortHistory {
 public:
  // Takes note of the rates of ACTIVE ports; others show a made-up one. A name that now stands for
  // other hardware begins anew.
  void observe(const HostSnapshot& host);

  // In bits per second: `configured` where the operator said one, else the highest seen.
  [[nodiscard]] std::optional<double> expected_rate(std::string_view device, std::uint32_t port,
                                                    std::optional<double> configured) const;

  [[nodiscard]] const RateHistory& highest_rates() const { return rates_; }

 private:
  void forget(const std::string& device);

  RateHistory rates_;
  std::map<std::string, std::string> guids_;  // node GUID last seen under a device name
};

}  // namespace rdmadiag::core
