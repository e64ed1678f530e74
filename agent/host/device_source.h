// One kernel interface as read for one device: its files, its netlink messages. Every device has
// its own instances, called by that device's reader thread alone, so they keep descriptors and
// listings between reads without a lock. A source that cannot read something says so in the
// IssueLog and goes on; it never throws for what the kernel answers. When the driver, the PCI
// function or the ports of a device change, all its sources are made anew.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/collect_options.h"
#include "agent/host/issue_log.h"
#include "agent/host/netlink_source.h"
#include "agent/host/read_session.h"
#include "agent/host/sysfs.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {

// What a device's sources work with. Shared ownership, since a reader stuck in the kernel outlives
// everything else.
struct DeviceContext {
  Roots roots;
  CollectOptions options;
  std::shared_ptr<ReadSession> session;
  std::shared_ptr<NetlinkSource> netlink;  // may be null

  std::optional<KernelRelease> kernel;

  std::string name;
  std::string directory;      // …/class/infiniband/NAME
  std::string driver;         // the catalogue's name; empty when unknown
  std::string pci_directory;  // of the PCI function, links resolved; empty for software devices
  std::optional<std::uint32_t> pci_device_id;
  std::optional<NetlinkDevice> netlink_device;
  std::vector<std::uint32_t> ports;  // the numbers of those to be read
};

// False when the options leave hw_counters of this device out, over sysfs and netlink alike.
[[nodiscard]] inline bool reads_hw_counters(const DeviceContext& context) {
  if (context.options.is_disabled(core::Source::kSysfsHwCounters)) return false;
  for (const std::string& driver : context.options.skip_hw_counters) {
    if (driver == context.driver) return false;
  }
  return true;
}

class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  [[nodiscard]] virtual core::Source source() const = 0;
  // Adds what it reads to `device`, where sources before it have left theirs: name, driver, netdevs
  // and ports (in the order of the context's). True when the source as a whole was read; single
  // missing values do not make it false.
  virtual bool read(core::DeviceSnapshot& device, IssueLog& issues) = 0;
  // What seldom changes may have changed: list and read it anew at the next read.
  virtual void refresh() {}
};

// Null when the source has nothing to do on that device.
using DeviceSourceFactory = std::function<std::unique_ptr<DeviceSource>(const DeviceContext&)>;

}  // namespace rdmadiag::host
