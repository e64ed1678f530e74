#include "probes/packet_header.h"

#include <algorithm>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kIpv4Offset = 20;
constexpr std::size_t kIpv4Size = 20;

using Bytes = std::span<const std::byte, kPacketHeaderSize>;

std::uint8_t octet(Bytes bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

// RFC 1071: the ones' complement sum over a header that holds its own checksum is all ones.
bool ipv4_checksum_holds(Bytes bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = kIpv4Offset; i < kIpv4Offset + kIpv4Size; i += 2) {
    sum += static_cast<std::uint32_t>(octet(bytes, i) << 8 | octet(bytes, i + 1));
  }
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

core::Gid mapped(Bytes bytes, std::size_t at) {
  core::Gid gid{};
  gid[10] = gid[11] = 0xff;
  for (std::size_t i = 0; i < 4; ++i) gid[12 + i] = octet(bytes, at + i);
  return gid;
}

core::Gid full(Bytes bytes, std::size_t at) {
  core::Gid gid{};
  std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + gid.size()), gid.begin(),
                 [](std::byte value) { return static_cast<std::uint8_t>(value); });
  return gid;
}

PacketHeader ipv4_header(Bytes bytes) {
  return {.is_ipv4 = true,
          .traffic_class = octet(bytes, kIpv4Offset + 1),
          .hop_limit = octet(bytes, kIpv4Offset + 8),
          .source = mapped(bytes, kIpv4Offset + 12),
          .destination = mapped(bytes, kIpv4Offset + 16)};
}

PacketHeader ipv6_header(Bytes bytes) {
  return {.is_ipv4 = false,
          .traffic_class =
              static_cast<std::uint8_t>((octet(bytes, 0) & 0xf) << 4 | octet(bytes, 1) >> 4),
          .hop_limit = octet(bytes, 7),
          .source = full(bytes, 8),
          .destination = full(bytes, 24)};
}

}  // namespace

std::optional<PacketHeader> parse_packet_header(Bytes bytes) {
  if (octet(bytes, 0) >> 4 != 6) {
    if (octet(bytes, kIpv4Offset) >> 4 != 4) return std::nullopt;
    return ipv4_header(bytes);
  }
  // The undefined bytes before an IPv4 header may look like IPv6; an IPv6 address may look like an
  // IPv4 header, but hardly with a right checksum.
  if (octet(bytes, kIpv4Offset) == 0x45 && ipv4_checksum_holds(bytes)) return ipv4_header(bytes);
  return ipv6_header(bytes);
}

}  // namespace rdmadiag::probes
