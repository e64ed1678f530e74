#include "probes/verbs/netdev_address.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agent/core/gid.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMac = 6;

struct FreeAddresses {
  void operator()(ifaddrs* list) const { ::freeifaddrs(list); }
};

bool has_mac(const ifaddrs& entry, const core::Gid& gid) {
  if (entry.ifa_addr == nullptr || entry.ifa_addr->sa_family != AF_PACKET) return false;
  sockaddr_ll address{};
  std::memcpy(&address, entry.ifa_addr, sizeof(address));
  return address.sll_halen == kMac && std::equal(gid.begin(), gid.begin() + kMac, address.sll_addr);
}

std::optional<core::Gid> address_in(const ifaddrs& entry) {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) return std::nullopt;
  core::Gid found{};
  if (entry.ifa_addr->sa_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, entry.ifa_addr, sizeof(address));
    found[10] = found[11] = 0xff;
    std::memcpy(found.data() + 12, &address.sin_addr, 4);
  } else if (entry.ifa_addr->sa_family == AF_INET6) {
    sockaddr_in6 address{};
    std::memcpy(&address, entry.ifa_addr, sizeof(address));
    std::memcpy(found.data(), &address.sin6_addr, found.size());
  } else {
    return std::nullopt;
  }
  if (core::is_link_local(found)) return std::nullopt;
  return found;
}

}  // namespace

core::Result<core::Gid> address_of_iwarp_gid(const core::Gid& gid) {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return core::errno_error(errno, "listing addresses");
  const std::unique_ptr<ifaddrs, FreeAddresses> owner(list);
  std::set<std::string> interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (has_mac(*entry, gid)) interfaces.insert(entry->ifa_name);
  }
  std::optional<core::Gid> ipv6;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (!interfaces.contains(entry->ifa_name)) continue;
    const auto address = address_in(*entry);
    if (!address) continue;
    if (core::is_ipv4_mapped(*address)) return *address;
    if (!ipv6) ipv6 = address;
  }
  if (ipv6) return *ipv6;
  return core::fail("no network interface of this port is up and has an address");
}

}  // namespace rdmadiag::probes
