#include "probes/packet_header.h"

#include <array>
#include <catch2/catch.hpp>

#include "agent/core/gid.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

using Bytes = std::array<std::byte, kPacketHeaderSize>;

void set(Bytes& bytes, std::size_t at, std::initializer_list<unsigned> octets) {
  for (unsigned octet : octets) bytes[at++] = static_cast<std::byte>(octet);
}

// 10.0.0.1 → 10.0.0.2, TOS 0x6b, TTL 61, checksum right.
Bytes ipv4() {
  Bytes bytes{};
  set(bytes, 20, {0x45, 0x6b, 0x00, 0x7c, 0x12, 0x34, 0x40, 0x00, 0x3d, 0x11,
                  0x16, 0xd0, 10,   0,    0,    1,    10,   0,    0,    2});
  return bytes;
}

Bytes ipv6() {
  Bytes bytes{};
  set(bytes, 0, {0x66, 0xb0, 0x12, 0x34, 0, 72, 17, 63});
  set(bytes, 8, {0x20, 0x01, 0x0d, 0xb8});
  bytes[23] = std::byte{1};
  set(bytes, 24, {0xfe, 0x80});
  bytes[39] = std::byte{2};
  return bytes;
}

}  // namespace

TEST_CASE("an IPv4 header behind undefined bytes") {
  Bytes bytes = ipv4();
  const unsigned first = GENERATE(0x00u, 0x45u, 0xffu);
  bytes[0] = static_cast<std::byte>(first);
  const auto header = parse_packet_header(bytes);
  REQUIRE(header);
  CHECK(header->is_ipv4);
  CHECK(header->traffic_class == 0x6b);
  CHECK(header->is_ecn_marked());
  CHECK(header->hop_limit == 61);
  CHECK(core::format_gid(header->source) == "::ffff:10.0.0.1");
  CHECK(core::format_gid(header->destination) == "::ffff:10.0.0.2");
}

TEST_CASE("undefined bytes that look like IPv6: the checksum decides") {
  Bytes bytes = ipv4();
  bytes[0] = std::byte{0x60};
  CHECK(parse_packet_header(bytes)->is_ipv4);
  bytes[30] ^= std::byte{1};
  CHECK_FALSE(parse_packet_header(bytes)->is_ipv4);
}

TEST_CASE("a GRH or IPv6 header") {
  const auto header = parse_packet_header(ipv6());
  REQUIRE(header);
  CHECK_FALSE(header->is_ipv4);
  CHECK(header->traffic_class == 0x6b);
  CHECK(header->hop_limit == 63);
  CHECK(core::format_gid(header->source) == "2001:db8::1");
  CHECK(core::format_gid(header->destination) == "fe80::2");
}

TEST_CASE("IPv6 with an address octet 0x45 where IPv4 would begin stays IPv6") {
  Bytes bytes = ipv6();
  bytes[20] = std::byte{0x45};
  CHECK_FALSE(parse_packet_header(bytes)->is_ipv4);
}

TEST_CASE("bytes that are neither are an error") {
  CHECK_FALSE(parse_packet_header(Bytes{}));
  Bytes bytes{};
  bytes[0] = std::byte{0x50};
  bytes[20] = std::byte{0x55};
  CHECK_FALSE(parse_packet_header(bytes));
}

TEST_CASE("only both ECN bits are a mark") {
  PacketHeader header;
  for (unsigned bits : {0u, 1u, 2u}) {
    header.traffic_class = static_cast<std::uint8_t>(0x68 | bits);
    CHECK_FALSE(header.is_ecn_marked());
  }
}
