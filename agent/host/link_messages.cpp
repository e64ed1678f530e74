#include "agent/host/link_messages.h"

#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <cstring>
#include <span>

namespace rdmadiag::host {
namespace {

constexpr std::uint32_t kSkipStatistics = 1U << 3;  // RTEXT_FILTER_SKIP_STATS

}  // namespace

std::vector<std::byte> link_dump_request() {
  const ifinfomsg header{};
  PayloadWriter writer;
  writer.raw(std::as_bytes(std::span(&header, 1))).u32(IFLA_EXT_MASK, kSkipStatistics);
  return {writer.bytes().begin(), writer.bytes().end()};
}

core::Result<LinkState> decode_link(Bytes payload) {
  ifinfomsg header{};
  if (payload.size() < sizeof header) return core::fail("link message cut short");
  std::memcpy(&header, payload.data(), sizeof header);
  constexpr unsigned kUp = IFF_UP | IFF_LOWER_UP;
  LinkState link;
  link.index = header.ifi_index;
  link.up = (header.ifi_flags & kUp) == kUp;
  const bool whole = walk_attributes(payload.subspan(sizeof header), [&](const Attribute& a) {
    switch (a.type) {
      case IFLA_IFNAME: link.name = a.text(); break;
      case IFLA_CARRIER_UP_COUNT: link.carrier_up_count = a.u32(); break;
      case IFLA_CARRIER_DOWN_COUNT: link.carrier_down_count = a.u32(); break;
    }
    return true;
  });
  if (!whole) return core::fail("malformed link message");
  if (link.index <= 0 || link.name.empty()) return core::fail("link message without a netdev");
  return link;
}

}  // namespace rdmadiag::host
