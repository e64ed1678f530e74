#include "tests/core/diagnose_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace rdmadiag::core {
namespace {

PortSnapshot healthy_port() {
  PortSnapshot port;
  port.number = 1;
  port.link_layer = LinkLayer::kEthernet;
  port.state = kPortStateActive;
  port.physical_state = kPhysStateLinkUp;
  port.rate = PortRate{200e9, 4, "HDR"};
  port.netdev = "eth2";
  GidEntry gid;
  gid.type = GidType::kRoceV2;
  gid.gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
  gid.netdev = "eth2";
  port.gids.push_back(gid);
  return port;
}

DeviceSnapshot healthy_device() {
  DeviceSnapshot device;
  device.name = "mlx5_0";
  device.driver = "mlx5";
  device.firmware = "28.39.1002";
  device.node_guid = "0c42:a103:0065:1d7e";
  device.protocol = Protocol::kRoce;
  device.pcie = {.address = "0000:3b:00.0",
                 .current_width_lanes = 16,
                 .max_width_lanes = 16,
                 .current_speed_transfers_per_second = 32e9,
                 .max_speed_transfers_per_second = 32e9,
                 .numa_node = 0,
                 .local_cpus = "0-31",
                 .iommu_domain = "",
                 .is_vf = false,
                 .aer_correctable = 0,
                 .aer_nonfatal = 0,
                 .aer_fatal = 0};
  NetdevSnapshot netdev;
  netdev.name = "eth2";
  netdev.mtu_bytes = 9000;
  device.netdevs.push_back(netdev);
  device.queue_pairs.emplace();
  device.ports.push_back(healthy_port());
  return device;
}

HostSnapshot host_with(const DeviceSnapshot& device) {
  HostSnapshot host;
  DeviceEntry entry;
  entry.name = device.name;
  entry.snapshot = std::make_shared<const DeviceSnapshot>(device);
  host.devices.push_back(entry);
  return host;
}

const CounterSpec* any_counter_of(std::string_view metric) {
  const auto all = all_counters();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const CounterSpec& spec) { return spec.metric->name == metric; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

TwoLooks::TwoLooks() : before(healthy_device()), now(healthy_device()) {
  now.read_steady = before.read_steady + std::chrono::seconds(10);
}

void TwoLooks::count(std::string_view metric, std::uint64_t at_first, std::uint64_t at_second) {
  const CounterSpec* spec = any_counter_of(metric);
  INFO("metric " << metric);
  REQUIRE(spec != nullptr);
  CounterSample sample;
  sample.source = spec->source;
  sample.spec = spec;
  const bool of_device = spec->metric->scope == MetricScope::kDevice;
  sample.value = at_first;
  (of_device ? before.counters : port_before().counters).push_back(sample);
  sample.value = at_second;
  (of_device ? now.counters : port_now().counters).push_back(sample);
}

Diagnosis TwoLooks::diagnose() {
  host_before = host_with(before);
  host_now = host_with(now);
  return core::diagnose({.now = &host_now,
                         .before = &host_before,
                         .expect = expect,
                         .highest_rates = &highest_rates});
}

Diagnosis TwoLooks::diagnose_one_look() {
  host_now = host_with(now);
  return core::diagnose(
      {.now = &host_now, .before = nullptr, .expect = expect, .highest_rates = nullptr});
}

const Finding* find(const Diagnosis& diagnosis, std::string_view rule) {
  for (const Finding& finding : diagnosis.findings) {
    if (finding.rule == rule) return &finding;
  }
  return nullptr;
}

const Unknown* find_unknown(const Diagnosis& diagnosis, std::string_view rule) {
  for (const Unknown& unknown : diagnosis.unknown) {
    if (unknown.rule == rule) return &unknown;
  }
  return nullptr;
}

}  // namespace rdmadiag::core
