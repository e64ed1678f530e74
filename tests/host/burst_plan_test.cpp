#include "agent/host/burst_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace rdmadiag;
using core::BurstCounter;
using core::CounterSource;

namespace {

const host::Roots kRoots{"/s", "/p", "/d"};

core::CounterSample sample(CounterSource source, std::string_view driver, std::string_view name) {
  core::CounterSample made;
  made.source = source;
  made.spec = core::find_counter(source, driver, name);
  REQUIRE(made.spec != nullptr);
  return made;
}

core::DeviceSnapshot device(core::LinkLayer layer) {
  core::DeviceSnapshot device;
  device.name = "mlx5_0";
  core::PortSnapshot& port = device.ports.emplace_back();
  port.number = 1;
  port.link_layer = layer;
  port.state = core::kPortStateActive;
  port.rate = core::PortRate{.bits_per_second = 100e9, .width_lanes = {}, .speed_name = {}};
  return device;
}

core::NetdevSnapshot& add_netdev(core::DeviceSnapshot& device, const std::string& driver) {
  device.ports[0].netdev = "eth2";
  core::NetdevSnapshot& netdev = device.netdevs.emplace_back();
  netdev.name = "eth2";
  netdev.ethtool.emplace().driver = driver;
  return netdev;
}

const host::BurstFile* file_of(const host::BurstPort& port, BurstCounter counter) {
  const auto found = std::find_if(port.files.begin(), port.files.end(),
                                  [&](const auto& file) { return file.counter == counter; });
  return found == port.files.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("an InfiniBand port is sampled by its own counters, in bytes") {
  auto snapshot = device(core::LinkLayer::kInfiniband);
  for (const char* name : {"port_rcv_data", "port_xmit_data", "port_xmit_wait", "symbol_error"})
    snapshot.ports[0].counters.push_back(sample(CounterSource::kPortCounters, "mlx5", name));
  const auto ports = host::burst_ports(kRoots, snapshot);
  REQUIRE(ports.size() == 1);
  CHECK(ports[0].files.size() == 3);
  const auto* rx = file_of(ports[0], BurstCounter::kRxBytes);
  REQUIRE(rx != nullptr);
  CHECK(rx->path == "/s/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data");
  CHECK(rx->scale == 4);
  CHECK(file_of(ports[0], BurstCounter::kRxPause)->scale == 1);
  CHECK(ports[0].line_rate == 12.5e9);
  CHECK(ports[0].pause_netdev.empty());
}

TEST_CASE("a RoCE port has marks of its own and pauses of its netdev") {
  auto snapshot = device(core::LinkLayer::kEthernet);
  auto& counters = snapshot.ports[0].counters;
  counters.push_back(sample(CounterSource::kPortCounters, "mlx5", "port_rcv_data"));
  counters.push_back(sample(CounterSource::kPortHwCounters, "mlx5", "np_ecn_marked_roce_packets"));
  auto& netdev = add_netdev(snapshot, "mlx5_core");
  netdev.counters.push_back(sample(CounterSource::kEthtool, "mlx5_core", "rx_prio3_pause"));
  netdev.speed_bits_per_second = 25'000'000'000;
  const auto ports = host::burst_ports(kRoots, snapshot);
  CHECK(file_of(ports[0], BurstCounter::kEcnMarks)->path ==
        "/s/class/infiniband/mlx5_0/ports/1/hw_counters/np_ecn_marked_roce_packets");
  CHECK(file_of(ports[0], BurstCounter::kTxBytes) == nullptr);  // not the netdev's beside it
  CHECK(ports[0].pause_netdev == "eth2");
  CHECK(ports[0].pause_driver == "mlx5_core");
  CHECK(ports[0].line_rate == 25e9 / 8);
}

TEST_CASE("soft-RoCE is sampled by its netdev's bytes") {
  auto snapshot = device(core::LinkLayer::kEthernet);
  add_netdev(snapshot, "veth");
  const auto ports = host::burst_ports(kRoots, snapshot);
  CHECK(file_of(ports[0], BurstCounter::kRxBytes)->path == "/s/class/net/eth2/statistics/rx_bytes");
  CHECK(file_of(ports[0], BurstCounter::kTxBytes)->path == "/s/class/net/eth2/statistics/tx_bytes");
  CHECK(ports[0].pause_netdev.empty());  // a veth counts none
}

TEST_CASE("virtual functions and bonds have no pauses here") {
  for (const bool is_vf : {false, true}) {
    auto snapshot = device(core::LinkLayer::kEthernet);
    auto& netdev = add_netdev(snapshot, "mlx5_core");
    netdev.counters.push_back(sample(CounterSource::kEthtool, "mlx5_core", "rx_prio3_pause"));
    netdev.is_vf = is_vf;
    netdev.is_bond = !is_vf;
    CHECK(host::burst_ports(kRoots, snapshot)[0].pause_netdev.empty());
  }
}

TEST_CASE("a port that is down shows a made-up rate, which is no line rate") {
  auto snapshot = device(core::LinkLayer::kInfiniband);
  snapshot.ports[0].state = 1;
  CHECK_FALSE(host::burst_ports(kRoots, snapshot)[0].line_rate);
}
