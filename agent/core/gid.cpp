#include "agent/core/gid.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace rdmadiag::core {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

enum class Preference : std::uint8_t { kUnusable, kLinkLocal, kGlobalIpv6, kIpv4 };

Preference preference(const GidEntry& entry) {
  if (entry.type != GidType::kRoceV2 || is_zero(entry.gid) || is_loopback(entry.gid)) {
    return Preference::kUnusable;
  }
  if (is_link_local(entry.gid)) return Preference::kLinkLocal;
  return is_ipv4_mapped(entry.gid) ? Preference::kIpv4 : Preference::kGlobalIpv6;
}

std::string_view roce_reason(Preference best) {
  switch (best) {
    case Preference::kIpv4: return "RoCE v2 with an IPv4 address";
    case Preference::kGlobalIpv6:
      return "RoCE v2 with a global IPv6 address, no IPv4 address there";
    case Preference::kLinkLocal:
      return "RoCE v2 link-local: the netdev has no routable address, peers behind a router "
             "cannot be reached";
    case Preference::kUnusable: break;
  }
  return "no RoCE v2 GID: the netdev has no address, or only RoCE v1 is enabled";
}

GidChoice choose_roce(std::span<const GidEntry> entries) {
  const GidEntry* best = nullptr;
  Preference best_preference = Preference::kUnusable;
  for (const GidEntry& entry : entries) {
    const Preference candidate = preference(entry);
    const bool lower_index =
        best != nullptr && candidate == best_preference && entry.index < best->index;
    if (candidate > best_preference || (lower_index && candidate != Preference::kUnusable)) {
      best = &entry;
      best_preference = candidate;
    }
  }
  GidChoice choice{std::nullopt, std::string(roce_reason(best_preference))};
  if (best != nullptr) choice.entry = *best;
  return choice;
}

}  // namespace

std::string format_gid(const Gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(AF_INET6, gid.data(), text.data(), text.size());
  return text.data();
}

std::optional<Gid> parse_gid(std::string_view text) {
  Gid gid{};
  if (text.size() >= INET6_ADDRSTRLEN ||
      inet_pton(AF_INET6, std::string(text).c_str(), gid.data()) != 1) {
    return std::nullopt;
  }
  return gid;
}

bool is_zero(const Gid& gid) { return gid == Gid{}; }

bool is_ipv4_mapped(const Gid& gid) {
  return std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), gid.begin());
}

bool is_link_local(const Gid& gid) {
  if (is_ipv4_mapped(gid)) return gid[12] == 169 && gid[13] == 254;
  return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

bool is_loopback(const Gid& gid) {
  if (is_ipv4_mapped(gid)) return gid[12] == 127;
  Gid one{};
  one[15] = 1;
  return gid == one;
}

GidChoice choose_gid(std::span<const GidEntry> entries, Protocol protocol) {
  if (protocol == Protocol::kRoce) return choose_roce(entries);
  const GidEntry* lowest = nullptr;
  for (const GidEntry& entry : entries) {
    if (!is_zero(entry.gid) && (lowest == nullptr || entry.index < lowest->index)) lowest = &entry;
  }
  if (lowest == nullptr) return {std::nullopt, "the GID table is empty"};
  return {*lowest, protocol == Protocol::kIwarp
                       ? "iWARP has one GID, made from the MAC address"
                       : "first GID of the port; peers are told its LID too"};
}

}  // namespace rdmadiag::core
