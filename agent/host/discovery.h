// Which RDMA devices there are: from RDMA netlink where it answers, and from class/infiniband.
// Opens nothing below a device. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/device_filter.h"
#include "agent/host/device_reader.h"

namespace rdmadiag::host {

struct FoundDevice {
  std::string name;
  bool in_sysfs = false;
  std::uint64_t inode = 0;  // of the class entry: another one means another device of that name
  std::optional<NetlinkDevice> netlink;
};

struct Listing {
  std::vector<FoundDevice> devices;  // those that pass the filter, by name
  // A listing that failed says nothing about what is gone.
  bool sysfs_complete = false;
  bool netlink_complete = false;
  bool has_rdma_class = false;
  std::optional<bool> netns_shared;
  std::optional<core::GpuSupport> gpu;
  std::string hostname;
  std::string kernel_release;
  std::vector<core::SourceStatus> sources;
  std::vector<core::ReadIssue> issues;
};

class Discovery {
 public:
  explicit Discovery(const DeviceSetup& setup);

  [[nodiscard]] Listing list();

 private:
  void list_sysfs(Listing& listing);
  void take_entry(const DirectoryEntry& entry, Listing& listing);
  void list_netlink(Listing& listing);
  void read_host(Listing& listing);

  Roots roots_;
  DeviceFilter filter_;
  std::shared_ptr<NetlinkSource> netlink_;
  ReadSession session_;
  IssueLog issues_;
  core::SourceStatus sysfs_status_;
  core::SourceStatus netlink_status_;
};

}  // namespace rdmadiag::host
