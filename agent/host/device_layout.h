// What a device is made of, found before any of its values is read: its PCI function, its driver,
// the ports that pass the filters. Listed when the device appears and at every refresh.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/collect_options.h"
#include "agent/host/netlink_source.h"
#include "agent/host/read_session.h"

namespace rdmadiag::host {

struct DeviceLayout {
  std::string driver;
  std::string pci_directory;
  std::optional<std::uint32_t> pci_device_id;
  std::vector<std::uint32_t> ports;  // ascending
  bool in_sysfs = false;
  bool excluded = false;  // by the link layer of all its ports, or because it is no RDMA device

  bool operator==(const DeviceLayout&) const = default;
};

struct LayoutOutcome {
  DeviceLayout layout;
  std::vector<core::ReadIssue> issues;
  int error_number = 0;  // of listing the ports, when that failed; then the layout is not known
};

// `netlink` is what netlink said of the device, null when it was not asked.
[[nodiscard]] LayoutOutcome read_layout(ReadSession& session, const std::string& directory,
                                        const CollectOptions& options,
                                        const NetlinkDevice* netlink);

}  // namespace rdmadiag::host
