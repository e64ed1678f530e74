// Reads the few counters of one port that the burst sampler wants. Files are kept open. Used by one
// thread.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "agent/core/burst.h"
#include "agent/host/burst_plan.h"
#include "agent/host/ethtool_ioctl.h"
#include "agent/host/file_reader.h"
#include "agent/host/private_statistics.h"

namespace rdmadiag::host {

class BurstReader {
 public:
  BurstReader(BurstPort port, std::shared_ptr<FileReader> files,
              std::shared_ptr<EthtoolIoctl> ioctl);
  ~BurstReader();
  BurstReader(const BurstReader&) = delete;
  BurstReader& operator=(const BurstReader&) = delete;

  [[nodiscard]] const BurstPort& port() const { return port_; }

  // Each fills in its own counters; what cannot be read stays empty.
  void read_files(core::BurstSample& sample);
  void read_pauses(core::BurstSample& sample);  // the whole table of statistics: dear
  [[nodiscard]] bool has_pauses() const { return !port_.pause_netdev.empty(); }

 private:
  std::optional<std::uint64_t> read(std::size_t file);

  const BurstPort port_;
  const std::shared_ptr<FileReader> files_;
  const std::shared_ptr<EthtoolIoctl> ioctl_;
  std::vector<int> descriptors_;  // of port_.files
  PrivateStatistics statistics_;
};

}  // namespace rdmadiag::host
