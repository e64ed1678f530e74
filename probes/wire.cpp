#include "probes/wire.h"

#include <sodium.h>

#include <algorithm>
#include <type_traits>

namespace rdmadiag::probes {
namespace {

constexpr std::uint32_t kMagic = 0x52445031;  // "RDP1"
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kTagOffset = 56;
constexpr std::size_t kTagSize = crypto_shorthash_BYTES;
static_assert(kTagOffset + kTagSize == kMessageSize);

template <class T>
void put(std::span<std::byte> out, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out[at + i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
  }
}

template <class T>
T get(std::span<const std::byte> in, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(static_cast<std::uint64_t>(value) << 8 |
                           static_cast<std::uint8_t>(in[at + i]));
  }
  return value;
}

using Tag = std::array<std::byte, kTagSize>;

Tag compute_tag(std::span<const std::byte> message, const Route& route, const ProbeKey& key) {
  std::array<std::byte, kTagOffset + 2 * sizeof(core::Gid) + 8> input{};
  std::copy_n(message.begin(), kTagOffset, input.begin());
  const auto gids = std::span(input).subspan(kTagOffset);
  for (std::size_t i = 0; i < sizeof(core::Gid); ++i) {
    gids[i] = std::byte{route.source_gid[i]};
    gids[sizeof(core::Gid) + i] = std::byte{route.target_gid[i]};
  }
  put(input, kTagOffset + 32, route.source_qpn);
  put(input, kTagOffset + 36, route.target_qpn);
  Tag tag{};
  crypto_shorthash(reinterpret_cast<unsigned char*>(tag.data()),
                   reinterpret_cast<const unsigned char*>(input.data()), input.size(),
                   key.secret.data());
  return tag;
}

bool fields_hold(std::span<const std::byte> bytes, std::size_t received) {
  const auto type = get<std::uint8_t>(bytes, 5);
  const auto scope = get<std::uint32_t>(bytes, 24) & 0xf;
  return type >= static_cast<std::uint8_t>(MessageType::kProbe) &&
         type <= static_cast<std::uint8_t>(MessageType::kStale) && scope < core::kProbeScopeCount &&
         get<std::uint16_t>(bytes, 28) == received;
}

Message read_fields(std::span<const std::byte> bytes) {
  const auto packed = get<std::uint32_t>(bytes, 24);
  return {.type = static_cast<MessageType>(get<std::uint8_t>(bytes, 5)),
          .flags = get<std::uint8_t>(bytes, 6),
          .session = get<std::uint32_t>(bytes, 8),
          .sequence = get<std::uint32_t>(bytes, 12),
          .source_epoch = get<std::uint32_t>(bytes, 16),
          .target_epoch = get<std::uint32_t>(bytes, 20),
          .label = packed >> 12,
          .traffic_class = static_cast<std::uint8_t>(packed >> 4),
          .scope = static_cast<core::ProbeScope>(packed & 0xf),
          .length = get<std::uint16_t>(bytes, 28),
          .seen_traffic_class = get<std::uint8_t>(bytes, 30),
          .seen_hop_limit = get<std::uint8_t>(bytes, 31),
          .arrived_bitmap = get<std::uint64_t>(bytes, 32),
          .responder_delay_nanoseconds = get<std::uint32_t>(bytes, 40),
          .responder_lag_microseconds = get<std::uint32_t>(bytes, 44)};
}

}  // namespace

std::string_view decode_fault_name(DecodeFault fault) {
  switch (fault) {
    case DecodeFault::kLength: return "length";
    case DecodeFault::kMagic: return "magic";
    case DecodeFault::kVersion: return "version";
    case DecodeFault::kUnknownKey: return "unknown_key";
    case DecodeFault::kTag: return "tag";
    case DecodeFault::kFields: return "fields";
  }
  return "unknown";
}

MessageBytes encode_message(const Message& message, const Route& route, const ProbeKey& key) {
  MessageBytes out{};
  put(out, 0, kMagic);
  put(out, 4, kVersion);
  put(out, 5, static_cast<std::uint8_t>(message.type));
  put(out, 6, message.flags);
  put(out, 7, key.id);
  put(out, 8, message.session);
  put(out, 12, message.sequence);
  put(out, 16, message.source_epoch);
  put(out, 20, message.target_epoch);
  put(out, 24,
      (message.label & kMaxFlowLabel) << 12 |
          static_cast<std::uint32_t>(message.traffic_class) << 4 |
          static_cast<std::uint32_t>(message.scope));
  put(out, 28, message.length);
  put(out, 30, message.seen_traffic_class);
  put(out, 31, message.seen_hop_limit);
  put(out, 32, message.arrived_bitmap);
  put(out, 40, message.responder_delay_nanoseconds);
  put(out, 44, message.responder_lag_microseconds);
  std::ranges::copy(compute_tag(out, route, key), out.begin() + kTagOffset);
  return out;
}

tl::expected<SignedMessage, DecodeFault> decode_message(std::span<const std::byte> bytes,
                                                        std::size_t received, const Route& route,
                                                        const KeyRing& keys) {
  if (bytes.size() < kMessageSize || received < kMessageSize) {
    return tl::make_unexpected(DecodeFault::kLength);
  }
  if (get<std::uint32_t>(bytes, 0) != kMagic) return tl::make_unexpected(DecodeFault::kMagic);
  if (get<std::uint8_t>(bytes, 4) != kVersion) return tl::make_unexpected(DecodeFault::kVersion);
  const auto key_id = get<std::uint8_t>(bytes, 7);
  const ProbeKey* key = keys.find(key_id);
  if (key == nullptr) return tl::make_unexpected(DecodeFault::kUnknownKey);
  const Tag tag = compute_tag(bytes, route, *key);
  if (sodium_memcmp(tag.data(), bytes.data() + kTagOffset, kTagSize) != 0) {
    return tl::make_unexpected(DecodeFault::kTag);
  }
  if (!fields_hold(bytes, received)) return tl::make_unexpected(DecodeFault::kFields);
  return SignedMessage{read_fields(bytes), key_id};
}

}  // namespace rdmadiag::probes
