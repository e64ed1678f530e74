// A netdev's private statistics (ethtool -S): thousands of names, of which the catalogue knows a
// few dozen. Names are looked up when they change, not at each read.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "agent/host/ethtool_ioctl.h"

namespace rdmadiag::host {

// Which uncatalogued statistics to take too. Patterns match anywhere in the name.
struct ExtraStatistics {
  std::vector<std::regex> patterns;
  std::size_t max_per_netdev = 64;
};
// Leaves out what is no regular expression; check_options() has complained.
[[nodiscard]] ExtraStatistics extra_statistics(const std::vector<std::string>& patterns);

class PrivateStatistics {
 public:
  // Adds the samples of `netdev` to its counters.
  core::Status read(EthtoolIoctl& ioctl, const std::string& driver, const ExtraStatistics& extra,
                    core::NetdevSnapshot& netdev);
  // Names may have changed even where their count has not.
  void forget() { known_ = false; }

  [[nodiscard]] std::size_t extra_left_out() const { return extra_left_out_; }

 private:
  struct Chosen {
    std::size_t position = 0;
    const core::CounterSpec* spec = nullptr;  // null: an extra one
    std::string name;                         // of an extra one
  };

  core::Status learn_names(EthtoolIoctl& ioctl, const std::string& driver,
                           const ExtraStatistics& extra, const core::NetdevSnapshot& netdev);

  bool known_ = false;
  std::size_t count_ = 0;
  std::vector<Chosen> chosen_;
  std::size_t extra_left_out_ = 0;
  std::vector<std::uint64_t> values_;
};

}  // namespace rdmadiag::host
