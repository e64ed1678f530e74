// The probe message: 64 bytes, big-endian, the same for all types (probing.md §3 gives the layout).
// Only time differences cross the wire, so no clocks need to agree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tl/expected.hpp>

#include "agent/core/probe.h"
#include "agent/core/snapshot.h"
#include "probes/probe_key.h"

namespace rdmadiag::probes {

inline constexpr std::size_t kMessageSize = 64;
inline constexpr std::uint32_t kMaxFlowLabel = 0xfffff;

using MessageBytes = std::array<std::byte, kMessageSize>;

enum class MessageType : std::uint8_t { kProbe = 1, kAck1 = 2, kAck2 = 3, kStale = 4 };

// Bits of Message::flags.
inline constexpr std::uint8_t kFlagProberHardwareTime = 1;
inline constexpr std::uint8_t kFlagResponderHardwareTime = 2;
inline constexpr std::uint8_t kFlagAck2Follows = 4;
inline constexpr std::uint8_t kFlagPadded = 8;

struct Message {
  MessageType type = MessageType::kProbe;
  std::uint8_t flags = 0;
  std::uint32_t session = 0;
  std::uint32_t sequence = 0;
  std::uint32_t source_epoch = 0;
  std::uint32_t target_epoch = 0;
  std::uint32_t label = 0;  // 20 bits
  std::uint8_t traffic_class = 0;
  core::ProbeScope scope = core::ProbeScope::kLeaf;
  std::uint16_t length = kMessageSize;  // bytes sent, padding included
  std::uint8_t seen_traffic_class = 0;
  std::uint8_t seen_hop_limit = 0;
  std::uint64_t arrived_bitmap = 0;  // bit i: probe (sequence − i) of this session arrived
  std::uint32_t responder_delay_nanoseconds = 0;
  std::uint32_t responder_lag_microseconds = 0;
};

// Where a message goes from and to; bound into its tag.
struct Route {
  core::Gid source_gid{};
  core::Gid target_gid{};
  std::uint32_t source_qpn = 0;
  std::uint32_t target_qpn = 0;
};

enum class DecodeFault : std::uint8_t { kLength, kMagic, kVersion, kUnknownKey, kTag, kFields };
inline constexpr std::size_t kDecodeFaultCount = 6;
[[nodiscard]] std::string_view decode_fault_name(DecodeFault fault);

struct SignedMessage {
  Message message;
  std::uint8_t key_id = 0;
};

[[nodiscard]] MessageBytes encode_message(const Message& message, const Route& route,
                                          const ProbeKey& key);

// `bytes` begins with the payload as received, `received` is its whole length: of a padded message
// only the first 64 bytes are kept. Fields are looked at only after the tag was found right, magic
// and version apart.
[[nodiscard]] tl::expected<SignedMessage, DecodeFault> decode_message(
    std::span<const std::byte> bytes, std::size_t received, const Route& route,
    const KeyRing& keys);

}  // namespace rdmadiag::probes
