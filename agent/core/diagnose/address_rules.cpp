// IP addresses of the netdevs under RDMA ports.
#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <set>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

struct Place {
  Subject subject;
  const NetdevSnapshot* netdev;
  bool routable = false;  // a VLAN's address serves the port as well
};

// "10.0.0.0/24" of "10.0.0.1/24"; empty for IPv6, and for a host route, which has no neighbours.
std::string subnet_of(const std::string& address) {
  const auto slash = address.find('/');
  if (slash == std::string::npos) return "";
  unsigned length = 0;
  const char* const end = address.data() + address.size();
  if (std::from_chars(address.data() + slash + 1, end, length).ptr != end) return "";
  in_addr ip{};
  if (length == 0 || length >= 32 ||
      ::inet_pton(AF_INET, address.substr(0, slash).c_str(), &ip) != 1)
    return "";
  ip.s_addr &= htonl(~std::uint32_t{0} << (32 - length));
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &ip, text.data(), text.size());
  return fmt::format("{}/{}", text.data(), length);
}

bool uses_ip(const DeviceSnapshot& device) {
  return device.protocol == Protocol::kRoce || device.protocol == Protocol::kIwarp;
}

void check_any_address(const Place& place, Report& report) {
  constexpr std::string_view kRule = "address-no-ip";
  if (place.routable) return;
  if (!place.netdev->addresses) {
    report.could_not_tell(kRule, place.subject, "the netdev's addresses were not read");
    return;
  }
  if (has_usable_address(*place.netdev)) return;
  const auto& addresses = *place.netdev->addresses;
  report.add(kRule, place.subject,
             addresses.empty() ? "the port is ACTIVE, its netdev has no IP address"
                               : fmt::format("the port is ACTIVE, its netdev has only {}",
                                             fmt::join(addresses, ", ")),
             "an IPv4 or global IPv6 address");
}

// What the kernel does with ARP and with packets on another path, where two netdevs have addresses
// of one subnet: Documentation/networking/ip-sysctl.
std::string wrong_settings(const Ipv4Settings& settings) {
  std::string text;
  const auto note = [&](const char* name, const std::optional<int>& value, bool wrong) {
    if (value && wrong) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, *value);
  };
  note("arp_ignore", settings.arp_ignore, settings.arp_ignore == 0);
  note("arp_announce", settings.arp_announce, settings.arp_announce.value_or(2) < 2);
  note("rp_filter", settings.rp_filter, settings.rp_filter == 1);
  return text;
}

void check_shared_subnets(const std::vector<Place>& places, Report& report) {
  constexpr std::string_view kRule = "address-arp";
  std::map<std::string, std::set<std::string>> subnets;
  for (const Place& place : places) {
    if (!place.netdev->addresses) continue;
    for (const std::string& address : *place.netdev->addresses)
      if (const auto subnet = subnet_of(address); !subnet.empty())
        subnets[subnet].insert(place.netdev->name);
  }
  for (const auto& [subnet, netdevs] : subnets) {
    if (netdevs.size() < 2) continue;
    std::set<std::string> told;
    for (const Place& place : places) {
      if (!netdevs.contains(place.netdev->name) || !told.insert(place.netdev->name).second)
        continue;
      if (!place.netdev->ipv4) {
        report.could_not_tell(kRule, place.subject, "its ARP settings cannot be read");
        continue;
      }
      const std::string wrong = wrong_settings(*place.netdev->ipv4);
      if (wrong.empty()) continue;
      report.add(kRule, place.subject,
                 fmt::format("{} of {} netdevs in {}, with {}", place.netdev->name, netdevs.size(),
                             subnet, wrong),
                 "arp_ignore 1 or 2, arp_announce 2, rp_filter 0 or 2");
    }
  }
}

}  // namespace

void check_addresses(const Comparison& seen, Report& report) {
  std::vector<Place> places;
  for (const DeviceView& device : seen.devices()) {
    if (!uses_ip(*device.now)) continue;
    for (const PortView& port : device.ports) {
      const NetdevSnapshot* netdev = device.now->find_netdev(port.now->netdev);
      if (netdev == nullptr || !port.now->is_active()) continue;
      places.push_back({port.subject(), netdev, has_routable_gid(*port.now)});
    }
  }
  for (const Place& place : places) check_any_address(place, report);
  const auto without = std::find_if(places.begin(), places.end(),
                                    [](const Place& p) { return !p.netdev->addresses; });
  if (places.size() > 1 && without != places.end())
    report.could_not_tell("address-arp", without->subject, "the netdev's addresses were not read");
  check_shared_subnets(places, report);
}

}  // namespace rdmadiag::core
