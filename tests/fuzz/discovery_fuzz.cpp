// What discovery services send: target groups, DNS answers, etcd's messages, registrations.
#include <cstdlib>
#include <span>
#include <string_view>

#include "probes/discovery/dns_answer.h"
#include "probes/discovery/etcd_codec.h"
#include "probes/discovery/target_groups.h"

using namespace rdmadiag::probes;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// What goes on to the rest of the program must be fit for a URL, a label and a log line.
void check_peer(const Peer& peer) {
  require(parse_peer_address(peer.address) == peer.address);
  require(!peer.id.empty());
  for (const std::string* text : {&peer.id, &peer.leaf, &peer.rail, &peer.pod}) {
    require(text->find_first_of("\n\r\t\0") == std::string::npos);
  }
}

void check_reading(const rdmadiag::core::Result<SourceReading>& reading) {
  if (!reading) return;
  require(reading->peers.size() <= kMaxPeers);
  for (const Peer& peer : reading->peers) check_peer(peer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 8) {
    case 0: check_reading(parse_target_groups(text, TargetFormat::kJson)); break;
    case 1: check_reading(parse_target_groups(text, TargetFormat::kYaml)); break;
    case 2: (void)parse_dns_answer(std::span(data + 1, size - 1), DnsType::kSrv); break;
    case 3: (void)parse_dns_answer(std::span(data + 1, size - 1), DnsType::kAaaa); break;
    case 4: (void)decode_range(text); break;
    case 5: (void)decode_changes(text); break;
    case 6:
      (void)decode_lease_grant(text);
      (void)decode_keep_alive(text);
      break;
    default:
      if (const auto peer = decode_registration("id", text)) {
        check_peer(*peer);
        require(decode_registration("id", encode_registration(*peer)) == peer);
      }
  }
  return 0;
}
