#include "agent/host/dcb_messages.h"

#include <linux/dcbnl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace rdmadiag::host {
namespace {

// Newer than the header this is built with.
constexpr std::uint16_t kIeeeTrustTable = 11;
constexpr std::uint16_t kDcbAppEntry = 2;  // in place of DCB_ATTR_IEEE_APP for PCP selectors
constexpr int kSelectorDscp = 5;
constexpr int kSelectorPcp = 255;
constexpr std::size_t kMaxApplications = 512;

// An attribute holding a C struct; some kernels may send a longer one.
template <class T>
std::optional<T> copy_struct(const Attribute& a) {
  if (a.payload.size() < sizeof(T)) return std::nullopt;
  T value{};
  std::memcpy(&value, a.payload.data(), sizeof value);
  return value;
}

template <std::size_t N>
core::PerPriority<std::uint8_t> per_priority(const __u8 (&raw)[N]) {
  static_assert(N == core::kPriorities);
  core::PerPriority<std::uint8_t> all{};
  std::copy(std::begin(raw), std::end(raw), all.begin());
  return all;
}

void take_pfc(const ieee_pfc& pfc, DcbReply& reply) {
  reply.dcb.pfc_capable_classes = pfc.pfc_cap;
  reply.dcb.pfc_delay = pfc.delay;
  core::PerPriority<bool> enabled{};
  PfcCounts counts;
  for (std::size_t i = 0; i < core::kPriorities; ++i) {
    enabled[i] = (pfc.pfc_en >> i & 1) != 0;
    counts.requests[i] = pfc.requests[i];
    counts.indications[i] = pfc.indications[i];
  }
  reply.dcb.pfc_enabled = enabled;
  reply.counts = counts;
}

core::EtsSettings ets_settings(const ieee_ets& ets) {
  return {.willing = ets.willing != 0,
          .capable_classes = ets.ets_cap,
          .bandwidth_percent = per_priority(ets.tc_tx_bw),
          .algorithm = per_priority(ets.tc_tsa),
          .traffic_class = per_priority(ets.prio_tc)};
}

core::BufferSettings buffer_settings(const dcbnl_buffer& buffer) {
  core::BufferSettings settings;
  settings.buffer_of_priority = per_priority(buffer.prio2buffer);
  std::copy(std::begin(buffer.buffer_size), std::end(buffer.buffer_size),
            settings.size_bytes.begin());
  settings.total_bytes = buffer.total_size;
  return settings;
}

bool take_applications(Bytes nest, core::DcbSnapshot& dcb) {
  return walk_attributes(nest, [&](const Attribute& a) {
    if (a.type != DCB_ATTR_IEEE_APP && a.type != kDcbAppEntry) return true;
    const auto entry = copy_struct<dcb_app>(a);
    if (entry && dcb.applications.size() < kMaxApplications)
      dcb.applications.push_back({entry->selector, entry->protocol, entry->priority});
    return true;
  });
}

// Selectors in the order they are tried: the first decides.
bool take_trust_table(Bytes nest, core::DcbSnapshot& dcb) {
  bool first = true;
  return walk_attributes(nest, [&](const Attribute& a) {
    if (a.type != DCB_ATTR_IEEE_APP && a.type != kDcbAppEntry) return true;
    const auto selector = a.u8();
    if (!selector || !first) return true;
    first = false;
    if (*selector == kSelectorDscp) dcb.trust = core::Trust::kDscp;
    if (*selector == kSelectorPcp) dcb.trust = core::Trust::kPcp;
    if (dcb.trust) dcb.trust_learnt_from = "dcb trust table";
    return true;
  });
}

bool take_ieee(Bytes nest, DcbReply& reply) {
  return walk_attributes(nest, [&](const Attribute& a) {
    switch (a.type) {
      case DCB_ATTR_IEEE_ETS:
        if (const auto ets = copy_struct<ieee_ets>(a)) reply.dcb.ets = ets_settings(*ets);
        break;
      case DCB_ATTR_IEEE_PFC:
        if (const auto pfc = copy_struct<ieee_pfc>(a)) take_pfc(*pfc, reply);
        break;
      case DCB_ATTR_IEEE_APP_TABLE: return take_applications(a.payload, reply.dcb);
      case DCB_ATTR_DCB_BUFFER:
        if (const auto buffer = copy_struct<dcbnl_buffer>(a))
          reply.dcb.buffer = buffer_settings(*buffer);
        break;
      case kIeeeTrustTable: return take_trust_table(a.payload, reply.dcb);
    }
    return true;
  });
}

core::Result<Bytes> after_header(Bytes payload) {
  if (payload.size() < sizeof(dcbmsg)) return core::fail("DCB: reply cut short");
  return payload.subspan(sizeof(dcbmsg));
}

}  // namespace

std::vector<std::byte> dcb_request(std::uint8_t command, std::string_view netdev) {
  dcbmsg header{};
  header.dcb_family = AF_UNSPEC;
  header.cmd = command;
  PayloadWriter writer;
  writer.raw(std::as_bytes(std::span(&header, 1))).text(DCB_ATTR_IFNAME, netdev);
  return {writer.bytes().begin(), writer.bytes().end()};
}

core::Result<DcbReply> decode_dcb_ieee(Bytes payload) {
  const auto attributes = after_header(payload);
  if (!attributes) return tl::make_unexpected(attributes.error());
  DcbReply reply;
  bool has_ieee = false;
  const bool whole = walk_attributes(*attributes, [&](const Attribute& a) {
    if (a.type == DCB_ATTR_DCBX) reply.dcb.mode = a.u8().value_or(0);
    if (a.type != DCB_ATTR_IEEE) return true;
    has_ieee = true;
    return take_ieee(a.payload, reply);
  });
  if (!whole) return core::fail("DCB: malformed netlink reply");
  if (!has_ieee) return core::fail("DCB: netlink reply without IEEE settings");
  return reply;
}

core::Result<int> decode_dcb_mode(Bytes payload) {
  const auto attributes = after_header(payload);
  if (!attributes) return tl::make_unexpected(attributes.error());
  std::optional<std::uint8_t> mode;
  const bool whole = walk_attributes(*attributes, [&](const Attribute& a) {
    if (a.type == DCB_ATTR_DCBX) mode = a.u8();
    return true;
  });
  if (!whole || !mode) return core::fail("DCB: malformed netlink reply");
  return *mode;
}

void learn_trust(std::string_view netdev_driver, core::DcbSnapshot& dcb) {
  if (dcb.trust || netdev_driver != "mlx5_core") return;
  const bool any_dscp =
      std::any_of(dcb.applications.begin(), dcb.applications.end(),
                  [](const core::DcbApplication& a) { return a.selector == kSelectorDscp; });
  dcb.trust = any_dscp ? core::Trust::kDscp : core::Trust::kPcp;
  dcb.trust_learnt_from = "dcb app table";
}

}  // namespace rdmadiag::host
