// ethtool's ioctls as a test sets them, by netdev.
#pragma once

#include <cerrno>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agent/host/ethtool_ioctl.h"

namespace rdmadiag::test {

struct FakeNetdev {
  std::string driver = "mlx5_core";
  std::vector<std::pair<std::string, std::uint64_t>> statistics;
  int error_number = 0;          // of everything
  int statistics_error = 0;      // of the values
  bool grows_each_time = false;  // one more statistic at every reading of values
};

class FakeEthtoolIoctl final : public host::EthtoolIoctl {
 public:
  std::map<std::string, FakeNetdev> netdevs;
  int driver_calls = 0;
  int name_calls = 0;
  int value_calls = 0;

  core::Result<host::NetdevDriver> driver(const std::string& netdev) override {
    ++driver_calls;
    const FakeNetdev* found = find(netdev);
    if (found == nullptr) return core::errno_error(ENODEV, netdev);
    if (found->error_number != 0) return core::errno_error(found->error_number, netdev);
    return host::NetdevDriver{found->driver, "6.1", "28.39.1002", "0000:3b:00.0"};
  }

  core::Result<std::vector<std::string>> statistic_names(const std::string& netdev) override {
    ++name_calls;
    const FakeNetdev* found = find(netdev);
    if (found == nullptr) return core::errno_error(ENODEV, netdev);
    std::vector<std::string> names;
    for (const auto& [name, value] : found->statistics) names.push_back(name);
    return names;
  }

  core::Result<std::size_t> statistics(const std::string& netdev, std::size_t expected,
                                       std::vector<std::uint64_t>& values) override {
    ++value_calls;
    FakeNetdev* found = find(netdev);
    if (found == nullptr) return core::errno_error(ENODEV, netdev);
    if (found->statistics_error != 0) return core::errno_error(found->statistics_error, netdev);
    if (found->grows_each_time)
      found->statistics.emplace_back("more" + std::to_string(value_calls), 0);
    if (found->statistics.size() != expected) return found->statistics.size();
    values.clear();
    for (const auto& [name, value] : found->statistics) values.push_back(value);
    return values.size();
  }

 private:
  FakeNetdev* find(const std::string& netdev) {
    const auto found = netdevs.find(netdev);
    return found == netdevs.end() ? nullptr : &found->second;
  }
};

}  // namespace rdmadiag::test
