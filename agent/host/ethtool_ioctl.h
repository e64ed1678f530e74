// ethtool's ioctl interface: a driver's private statistics, which netlink does not give. An
// interface so that tests can put names and values of their own there. Reads only; no privilege
// needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/result.h"

namespace rdmadiag::host {

struct NetdevDriver {
  std::string name;  // "mlx5_core"
  std::string version;
  std::string firmware;
  std::string bus_address;  // "0000:3b:00.0"; the form is the driver's
};

// May be called from several threads; a call holds the kernel's RTNL lock for as long as the driver
// takes.
class EthtoolIoctl {
 public:
  virtual ~EthtoolIoctl() = default;

  virtual core::Result<NetdevDriver> driver(const std::string& netdev) = 0;
  // In the order of the values; some drivers pad them with spaces, which are trimmed.
  virtual core::Result<std::vector<std::string>> statistic_names(const std::string& netdev) = 0;
  // Expects as many values as there were names. Gives how many the kernel has now: when that is
  // another number, `values` is not touched and the names have to be read anew.
  virtual core::Result<std::size_t> statistics(const std::string& netdev, std::size_t expected,
                                               std::vector<std::uint64_t>& values) = 0;
};

// The real one. Opens a socket for each call, so that it keeps nothing.
class SystemEthtoolIoctl final : public EthtoolIoctl {
 public:
  core::Result<NetdevDriver> driver(const std::string& netdev) override;
  core::Result<std::vector<std::string>> statistic_names(const std::string& netdev) override;
  core::Result<std::size_t> statistics(const std::string& netdev, std::size_t expected,
                                       std::vector<std::uint64_t>& values) override;
};

}  // namespace rdmadiag::host
