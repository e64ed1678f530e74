#include "probes/wire.h"

#include <sodium.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

Route route() {
  Route value{.source_qpn = 0x11, .target_qpn = 0x000abcde};
  for (std::uint8_t i = 0; i < 16; ++i) {
    value.source_gid[i] = i;
    value.target_gid[i] = static_cast<std::uint8_t>(0xf0 + i);
  }
  return value;
}

ProbeKey shared_key(std::uint8_t id) {
  ProbeKey key{.id = id};
  key.secret.fill(id);
  return key;
}

KeyRing ring() {
  KeyRing keys(make_local_key());
  keys.set_shared({shared_key(7), shared_key(3)});
  return keys;
}

Message full_message() {
  return {.type = MessageType::kAck1,
          .flags = kFlagResponderHardwareTime | kFlagAck2Follows,
          .session = 0x01020304,
          .sequence = 0xfffffffe,
          .source_epoch = 0xa1a2a3a4,
          .target_epoch = 0xb1b2b3b4,
          .label = 0x3fff,
          .traffic_class = 0x6a,
          .scope = core::ProbeScope::kFabric,
          .length = 64,
          .seen_traffic_class = 0x6b,
          .seen_hop_limit = 61,
          .arrived_bitmap = 0x8000000000000001,
          .responder_delay_nanoseconds = 123456,
          .responder_lag_microseconds = 4000000000u};
}

DecodeFault fault_of(std::vector<std::byte> bytes, const Route& at = route()) {
  const auto decoded = decode_message(bytes, bytes.size(), at, ring());
  REQUIRE_FALSE(decoded);
  return decoded.error();
}

std::vector<std::byte> encoded(const Message& message = full_message()) {
  const MessageBytes bytes = encode_message(message, route(), shared_key(7));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_CASE("the layout of the message is the published one") {
  const std::vector<std::byte> bytes = encoded();
  constexpr std::array<unsigned, 56> kExpected = {
      0x52, 0x44, 0x50, 0x31, 1,    2,    6,    7,     // magic, version, type, flags, key
      1,    2,    3,    4,    0xff, 0xff, 0xff, 0xfe,  // session, sequence
      0xa1, 0xa2, 0xa3, 0xa4, 0xb1, 0xb2, 0xb3, 0xb4,  // epochs
      0x03, 0xff, 0xf6, 0xa1, 0,    64,   0x6b, 61,    // label, class, scope; length; seen
      0x80, 0,    0,    0,    0,    0,    0,    1,     // bitmap
      0,    1,    0xe2, 0x40, 0xee, 0x6b, 0x28, 0,     // delay, lag
      0,    0,    0,    0,    0,    0,    0,    0};
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    INFO("octet " << i);
    CHECK(std::to_integer<unsigned>(bytes[i]) == kExpected[i]);
  }
}

TEST_CASE("the tag is SipHash-2-4 over message, GIDs and QPNs") {
  const std::vector<std::byte> bytes = encoded();
  std::vector<unsigned char> input;
  for (std::size_t i = 0; i < 56; ++i) input.push_back(std::to_integer<unsigned char>(bytes[i]));
  const Route at = route();
  input.insert(input.end(), at.source_gid.begin(), at.source_gid.end());
  input.insert(input.end(), at.target_gid.begin(), at.target_gid.end());
  constexpr std::array<unsigned char, 8> kQpns = {0x00, 0x00, 0x00, 0x11, 0x00, 0x0a, 0xbc, 0xde};
  input.insert(input.end(), kQpns.begin(), kQpns.end());
  std::array<unsigned char, 8> tag{};
  crypto_shorthash(tag.data(), input.data(), input.size(), shared_key(7).secret.data());
  for (std::size_t i = 0; i < tag.size(); ++i) {
    CHECK(std::to_integer<unsigned>(bytes[56 + i]) == tag[i]);
  }
}

TEST_CASE("what was encoded is decoded, by any key of the ring") {
  for (std::uint8_t id : {std::uint8_t{7}, std::uint8_t{3}}) {
    const MessageBytes bytes = encode_message(full_message(), route(), shared_key(id));
    const auto decoded = decode_message(bytes, bytes.size(), route(), ring());
    REQUIRE(decoded);
    CHECK(decoded->key_id == id);
    CHECK(encode_message(decoded->message, route(), shared_key(id)) == bytes);
  }
}

TEST_CASE("one flipped bit anywhere is refused") {
  const std::vector<std::byte> good = encoded();
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    INFO("bit " << bit);
    CHECK_FALSE(decode_message(bad, bad.size(), route(), ring()));
  }
}

TEST_CASE("a message for another address or QP is refused") {
  Route other = route();
  other.source_gid[15] ^= 1;
  CHECK(fault_of(encoded(), other) == DecodeFault::kTag);
  other = route();
  other.target_gid[0] ^= 1;
  CHECK(fault_of(encoded(), other) == DecodeFault::kTag);
  other = route();
  other.source_qpn ^= 1;
  CHECK(fault_of(encoded(), other) == DecodeFault::kTag);
  other = route();
  other.target_qpn ^= 0x800000;
  CHECK(fault_of(encoded(), other) == DecodeFault::kTag);
}

TEST_CASE("each fault has its name") {
  std::vector<std::byte> bytes = encoded();
  bytes.pop_back();
  CHECK(fault_of(bytes) == DecodeFault::kLength);
  CHECK(fault_of({}) == DecodeFault::kLength);
  bytes = encoded();
  bytes[0] = std::byte{0};
  CHECK(fault_of(bytes) == DecodeFault::kMagic);
  bytes = encoded();
  bytes[4] = std::byte{2};
  CHECK(fault_of(bytes) == DecodeFault::kVersion);
  bytes = encoded();
  bytes[7] = std::byte{9};
  CHECK(fault_of(bytes) == DecodeFault::kUnknownKey);
  bytes = encoded();
  bytes[63] ^= std::byte{1};
  CHECK(fault_of(bytes) == DecodeFault::kTag);
  CHECK(decode_fault_name(DecodeFault::kUnknownKey) == "unknown_key");
}

TEST_CASE("signed nonsense is refused too") {
  Message message = full_message();
  message.type = static_cast<MessageType>(9);
  CHECK(fault_of(encoded(message)) == DecodeFault::kFields);
  message = full_message();
  message.length = 100;
  CHECK(fault_of(encoded(message)) == DecodeFault::kFields);
  message = full_message();
  message.scope = static_cast<core::ProbeScope>(15);
  CHECK(fault_of(encoded(message)) == DecodeFault::kFields);
}

TEST_CASE("padding is counted in the length") {
  Message message = full_message();
  message.length = 1024;
  std::vector<std::byte> bytes = encoded(message);
  CHECK(fault_of(bytes) == DecodeFault::kFields);
  CHECK(decode_message(bytes, 1024, route(), ring()));
  CHECK_FALSE(decode_message(bytes, 63, route(), ring()));
}
