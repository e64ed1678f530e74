// DCB of a device's netdevs: PFC, ETS, buffers, application table, trust; and how RoCE is set up on
// its ports. Needs no privilege.
#pragma once

#include <memory>

#include "agent/host/device_source.h"
#include "agent/host/netlink_socket.h"

namespace rdmadiag::host {

// The live kernel's: NETLINK_ROUTE.
[[nodiscard]] std::shared_ptr<NetlinkTransport> make_dcb_transport();

// Reads after the ethtool source: PFC frames that ethtool has counted are not counted again.
[[nodiscard]] DeviceSourceFactory dcb_source(std::shared_ptr<NetlinkTransport> transport);

}  // namespace rdmadiag::host
