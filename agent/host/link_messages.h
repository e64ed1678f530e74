// rtnetlink's view of a netdev's link as bytes. Pure. Layout: include/uapi/linux/if_link.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

namespace rdmadiag::host {

inline constexpr std::uint16_t kRtmNewLink = 16;
inline constexpr std::uint16_t kRtmDelLink = 17;
inline constexpr std::uint16_t kRtmGetLink = 18;
inline constexpr unsigned kLinkGroup = 1;  // RTNLGRP_LINK

struct LinkState {
  int index = 0;
  std::string name;
  bool up = false;  // by the administrator, and with a carrier
  // How often the kernel has seen the carrier come and go: nothing between two looks is missed.
  std::optional<std::uint32_t> carrier_up_count;
  std::optional<std::uint32_t> carrier_down_count;
};

// For a dump of all links, without their statistics.
[[nodiscard]] std::vector<std::byte> link_dump_request();
// Of RTM_NEWLINK and RTM_DELLINK; the payload begins with struct ifinfomsg.
[[nodiscard]] core::Result<LinkState> decode_link(Bytes payload);

}  // namespace rdmadiag::host
