// Any packet a stranger may send to a probe QP: 40 bytes of header, then a payload. First unsigned,
// then with a right tag put on, so that the checks behind the tag are reached too.
#include <algorithm>
#include <cstdlib>

#include "probes/packet_header.h"
#include "probes/wire.h"

using namespace rdmadiag::probes;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void decode_signed(std::span<const std::byte> payload, const Route& route, const KeyRing& keys) {
  const auto decoded = decode_message(payload, payload.size(), route, keys);
  if (!decoded) return;
  const MessageBytes again = encode_message(decoded->message, route, *keys.find(decoded->key_id));
  require(decoded->message.length == payload.size());
  require(std::equal(again.begin(), again.begin() + 48, payload.begin()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < kPacketHeaderSize) return 0;
  const auto packet = std::as_bytes(std::span(data, size));
  const auto header = parse_packet_header(packet.first<kPacketHeaderSize>());
  const KeyRing keys(insecure_key());
  Route route{.source_qpn = 1, .target_qpn = 2};
  if (header) {
    route.source_gid = header->source;
    route.target_gid = header->destination;
  }
  const auto payload = packet.subspan(kPacketHeaderSize);
  decode_signed(payload, route, keys);
  if (payload.size() < kMessageSize) return 0;
  Message message{.type = static_cast<MessageType>(payload[5]),
                  .session = static_cast<std::uint32_t>(payload[8]),
                  .scope = static_cast<rdmadiag::core::ProbeScope>(payload[27] & std::byte{0xf}),
                  .length = static_cast<std::uint16_t>(payload.size())};
  std::vector<std::byte> genuine(payload.begin(), payload.end());
  std::ranges::copy(encode_message(message, route, insecure_key()), genuine.begin());
  decode_signed(genuine, route, keys);
  return 0;
}
