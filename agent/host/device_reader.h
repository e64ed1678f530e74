// Reads one device into a DeviceSnapshot, source by source. By one thread at a time; what is kept
// between reads (descriptors, listings, error counts) lives here and goes with it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/device_layout.h"
#include "agent/host/device_source.h"

namespace rdmadiag::host {

// What all devices of a collector share.
struct DeviceSetup {
  Roots roots;
  CollectOptions options;
  std::shared_ptr<FileReader> files;
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<DescriptorBudget> budget;
  std::shared_ptr<NetlinkSource> netlink;
  std::vector<DeviceSourceFactory> more_sources;
};

struct DeviceRequest {
  bool refresh = false;  // list files, GIDs and names anew
  std::optional<NetlinkDevice> netlink;
  std::optional<KernelRelease> kernel;
};

struct DeviceRead {
  std::shared_ptr<const core::DeviceSnapshot> snapshot;  // null when excluded
  bool excluded = false;                // by its link layer, or because it is no RDMA device
  bool vanished = false;                // something that was there is gone: list devices anew
  std::vector<core::ReadIssue> issues;  // when there is no snapshot to hold them
};

class DeviceReader {
 public:
  DeviceReader(std::string name, DeviceSetup setup);

  [[nodiscard]] DeviceRead read(const DeviceRequest& request);

  // The source being read, for whoever waits on another thread.
  [[nodiscard]] core::Source progress() const { return progress_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::unique_ptr<DeviceSource> source;
    core::SourceStatus status;
  };

  // False when the device cannot be listed.
  bool list(const DeviceRequest& request);
  void make_sources(const DeviceRequest& request);
  void add_source(std::unique_ptr<DeviceSource> source);
  void read_source(Entry& entry, core::DeviceSnapshot& device);
  [[nodiscard]] core::DeviceSnapshot blank() const;
  [[nodiscard]] DeviceRead finish(core::DeviceSnapshot device);

  std::string name_;
  DeviceSetup setup_;
  std::string directory_;
  std::shared_ptr<ReadSession> session_;
  std::optional<DeviceLayout> layout_;
  std::optional<NetlinkDevice> netlink_device_;
  std::vector<Entry> sources_;  // in reading order
  IssueLog issues_;
  std::atomic<core::Source> progress_{core::Source::kSysfsPort};
};

}  // namespace rdmadiag::host
