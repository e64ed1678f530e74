// rtnetlink's addresses of netdevs as bytes. Pure. Layout: include/uapi/linux/if_addr.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

namespace rdmadiag::host {

inline constexpr std::uint16_t kRtmNewAddress = 20;
inline constexpr std::uint16_t kRtmGetAddress = 22;

struct NetdevAddress {
  std::uint32_t index = 0;  // of the netdev
  std::string text;         // "10.0.0.1/24", "fe80::1/64"
};

// For a dump of all addresses of both families.
[[nodiscard]] std::vector<std::byte> address_dump_request();
// Of RTM_NEWADDR; the payload begins with struct ifaddrmsg.
[[nodiscard]] core::Result<NetdevAddress> decode_address(Bytes payload);

}  // namespace rdmadiag::host
