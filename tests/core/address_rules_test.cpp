// IP addresses of the netdevs under RDMA ports, as the diagnosis judges them.
#include <catch2/catch.hpp>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

void take_gids_away(TwoLooks& looks) {
  looks.port_now().gids.front().gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
}

// Two devices with a port each on eth2 and eth3.
struct TwoPorts {
  TwoPorts() {
    first = looks.now;
    second = looks.now;
    second.name = "mlx5_1";
    second.netdevs.front().name = "eth3";
    second.ports.front().netdev = "eth3";
    for (NetdevSnapshot* netdev : {&netdev_of(first), &netdev_of(second)})
      netdev->ipv4 = Ipv4Settings{1, 2, 2};
    netdev_of(first).addresses = {"10.0.0.1/24"};
    netdev_of(second).addresses = {"10.0.0.2/24"};
  }
  static NetdevSnapshot& netdev_of(DeviceSnapshot& device) { return device.netdevs.front(); }

  TwoLooks looks;
  DeviceSnapshot first;
  DeviceSnapshot second;

  Diagnosis diagnose() const {
    HostSnapshot host;
    for (const DeviceSnapshot& device : {first, second}) {
      DeviceEntry entry;
      entry.name = device.name;
      entry.snapshot = std::make_shared<const DeviceSnapshot>(device);
      host.devices.push_back(entry);
    }
    return rdmadiag::core::diagnose({.now = &host});
  }
};

}  // namespace

TEST_CASE("a port that is ACTIVE wants an IP address") {
  TwoLooks looks;
  take_gids_away(looks);
  CHECK(find_unknown(looks.diagnose(), "address-no-ip") != nullptr);
  auto& addresses = looks.now.netdevs.front().addresses;
  addresses.emplace();
  const Diagnosis none = looks.diagnose();
  REQUIRE(find(none, "address-no-ip") != nullptr);
  CHECK(find(none, "address-no-ip")->found == "the port is ACTIVE, its netdev has no IP address");
  CHECK(find(none, "address-no-ip")->subject.text() == "mlx5_0 port 1 (eth2)");
  CHECK(find(none, "address-link-local") == nullptr);  // one finding for one fault

  addresses = {"fe80::1/64", "169.254.3.4/16"};
  CHECK(find(looks.diagnose(), "address-no-ip") != nullptr);
  addresses = {"fe80::1/64", "10.0.0.1/24"};
  const Diagnosis some = looks.diagnose();
  CHECK(find(some, "address-no-ip") == nullptr);
  CHECK(find(some, "address-link-local") != nullptr);  // an address, and still no GID of it
}

TEST_CASE(
    "an address above the netdev, as of a VLAN, serves the port, and a port down needs none") {
  TwoLooks vlan;
  vlan.now.netdevs.front().addresses.emplace();
  CHECK(find(vlan.diagnose(), "address-no-ip") == nullptr);

  TwoLooks down;
  take_gids_away(down);
  down.now.netdevs.front().addresses.emplace();
  down.port_now().state = 1;
  CHECK(find(down.diagnose(), "address-no-ip") == nullptr);

  TwoLooks iwarp;
  iwarp.now.protocol = Protocol::kIwarp;
  take_gids_away(iwarp);
  iwarp.now.netdevs.front().addresses.emplace();
  CHECK(find(iwarp.diagnose(), "address-no-ip") != nullptr);
}

TEST_CASE("netdevs of one subnet need their ARP settings") {
  TwoPorts good;
  CHECK(find(good.diagnose(), "address-arp") == nullptr);
  CHECK(find_unknown(good.diagnose(), "address-arp") == nullptr);

  const auto [settings, text] = GENERATE(table<Ipv4Settings, const char*>({
      {{0, 2, 2}, "eth3 of 2 netdevs in 10.0.0.0/24, with arp_ignore 0"},
      {{1, 1, 2}, "eth3 of 2 netdevs in 10.0.0.0/24, with arp_announce 1"},
      {{2, 2, 1}, "eth3 of 2 netdevs in 10.0.0.0/24, with rp_filter 1"},
      {{0, 0, 1},
       "eth3 of 2 netdevs in 10.0.0.0/24, with arp_ignore 0, arp_announce 0, rp_filter 1"},
  }));
  TwoPorts bad;
  TwoPorts::netdev_of(bad.second).ipv4 = settings;
  const Diagnosis diagnosis = bad.diagnose();
  REQUIRE(find(diagnosis, "address-arp") != nullptr);
  CHECK(find(diagnosis, "address-arp")->found == text);
  CHECK(find(diagnosis, "address-arp")->subject.device == "mlx5_1");

  TwoPorts::netdev_of(bad.second).addresses = {"10.0.1.2/24"};
  CHECK(find(bad.diagnose(), "address-arp") == nullptr);
  TwoPorts::netdev_of(bad.second).addresses = {"10.0.0.2/32"};
  CHECK(find(bad.diagnose(), "address-arp") == nullptr);
}

TEST_CASE("ARP settings that cannot be read are not judged") {
  TwoPorts blind;
  TwoPorts::netdev_of(blind.second).ipv4.reset();
  CHECK(find(blind.diagnose(), "address-arp") == nullptr);
  CHECK(find_unknown(blind.diagnose(), "address-arp") != nullptr);
  TwoPorts deaf;
  TwoPorts::netdev_of(deaf.second).addresses.reset();
  CHECK(find_unknown(deaf.diagnose(), "address-arp") != nullptr);
}
