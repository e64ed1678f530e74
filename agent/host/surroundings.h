// What the host around a device decides about it: addresses of its netdevs and how the kernel
// answers ARP for them, its device node, where its interrupts go, what the bridges above it do
// with transfers between devices. Of the live host only.
#pragma once

#include <memory>

#include "agent/host/device_source.h"
#include "agent/host/netlink_socket.h"

namespace rdmadiag::host {

// `route` is a transport of NETLINK_ROUTE. Read at refresh alone: all of it seldom changes.
[[nodiscard]] DeviceSourceFactory surroundings_source(std::shared_ptr<NetlinkTransport> route);

}  // namespace rdmadiag::host
