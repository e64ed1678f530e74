// The 40 bytes in front of every UD payload: a GRH, or for RoCE v2 over IPv4 an IPv4 header in
// bytes 20 to 39 behind 20 undefined bytes. They say for free how many hops a probe took and
// whether a switch marked it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "agent/core/snapshot.h"

namespace rdmadiag::probes {

inline constexpr std::size_t kPacketHeaderSize = 40;

struct PacketHeader {
  bool is_ipv4 = false;
  std::uint8_t traffic_class = 0;  // TOS of IPv4
  std::uint8_t hop_limit = 0;      // TTL of IPv4
  core::Gid source{};              // IPv4-mapped for IPv4
  core::Gid destination{};

  // RFC 3168: both ECN bits set by a switch whose queue was long.
  [[nodiscard]] bool is_ecn_marked() const { return (traffic_class & 0x3) == 0x3; }
};

// Decides between the two forms as rdma-core's get_grh_header_version does. Empty when the bytes
// are neither.
[[nodiscard]] std::optional<PacketHeader> parse_packet_header(
    std::span<const std::byte, kPacketHeaderSize> bytes);

}  // namespace rdmadiag::probes
