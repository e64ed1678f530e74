// What to read and how often; plain data that main fills from the configuration.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::host {

struct CollectOptions {
  // ECMAScript regular expressions that must match the whole device name. A device is read when it
  // matches one of `include` and none of `exclude`; nothing of another device is ever opened.
  std::vector<std::string> include = {".*"};
  std::vector<std::string> exclude;
  // Of "infiniband", "ethernet", "iwarp"; a port of none of them (EFA says "Unknown") is always
  // read. Empty means all.
  std::vector<std::string> link_layers;
  std::vector<core::Source> disabled;  // sources not to read at all

  std::chrono::nanoseconds min_interval = std::chrono::seconds(1);  // requests closer share a read
  std::chrono::nanoseconds deadline = std::chrono::seconds(1);      // longest wait of a request
  // How often devices are listed anew, and with them what seldom changes: file lists, GIDs, names.
  std::chrono::nanoseconds rescan_interval = std::chrono::seconds(30);
  std::chrono::nanoseconds vanished_grace = std::chrono::minutes(5);
  // Regular expressions found anywhere in the name of a netdev's private statistic (ethtool -S)
  // that the catalogue does not know: those are read too, up to a cap for each netdev.
  std::vector<std::string> ethtool_extra;
  bool queue_pairs = false;  // RES_QP_GET: the kernel may ask the firmware for each

  // Drivers (the catalogue's names) whose hw_counters must not be read, beside the built-in list of
  // known-dangerous reads.
  std::vector<std::string> skip_hw_counters;
  // Descriptors kept open over all devices; files beyond are opened for each read.
  std::size_t max_kept_files = 8192;

  [[nodiscard]] bool is_disabled(core::Source source) const {
    for (const core::Source other : disabled) {
      if (other == source) return true;
    }
    return false;
  }
};

}  // namespace rdmadiag::host
