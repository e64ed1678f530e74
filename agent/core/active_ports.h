// The ports of a host that RDMA can go through now.
#pragma once

#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// Both live as long as the host's snapshot.
struct ActivePort {
  const DeviceEntry* device = nullptr;  // with a snapshot
  const PortSnapshot* port = nullptr;
};

// In the order of the devices; with a device's name, only those of that one.
[[nodiscard]] std::vector<ActivePort> active_ports(const HostSnapshot& host,
                                                   std::string_view device = {});

}  // namespace rdmadiag::core
