// All IP addresses of this host's netdevs: asked of the kernel, or told by a capture.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/address_messages.h"
#include "agent/host/netlink_socket.h"

namespace rdmadiag::host {

using AddressList = std::vector<NetdevAddress>;
// May be called from several threads.
using AddressReader = std::function<core::Result<AddressList>()>;

// Of the running kernel.
[[nodiscard]] AddressReader make_address_reader();
// `route` is a transport of NETLINK_ROUTE.
[[nodiscard]] AddressReader address_reader(std::shared_ptr<NetlinkTransport> route);

}  // namespace rdmadiag::host
