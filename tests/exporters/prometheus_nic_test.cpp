// The Ethernet side: netdevs, their counters and configuration.
#include <catch2/catch.hpp>

#include "exporters/prometheus.h"
#include "tests/exporters/full_host.h"
#include "tests/exporters/host_builder.h"
#include "tests/exporters/series.h"

namespace rdmadiag::exporters {
namespace {

using test::active_port;
using test::device_with;
using test::host_with;
using test::sample;
using Series = std::map<std::string, std::string>;

constexpr auto kEthtool = core::CounterSource::kEthtool;

Series render(const core::NetdevSnapshot& netdev) {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port());
  device.netdevs = {netdev};
  std::string out;
  render_prometheus(host_with(device), {}, {}, out);
  return test::parse_series(out);
}

core::NetdevSnapshot named(std::string name) {
  core::NetdevSnapshot netdev;
  netdev.name = std::move(name);
  return netdev;
}

std::string on_netdev(const std::string& metric, const std::string& more = "") {
  return metric + "{device=\"mlx5_0\",netdev=\"eth2\"" + more + "}";
}

TEST_CASE("Statistics of a priority carry it as a label") {
  core::NetdevSnapshot netdev = named("eth2");
  netdev.counters = {sample(kEthtool, "mlx5_core", "rx_prio3_pause", 5),
                     sample(kEthtool, "mlx5_core", "rx_prio0_pause", 7),
                     sample(kEthtool, "mlx5_core", "rx_prio3_pause", 2)};
  const Series series = render(netdev);
  CHECK(series.at(on_netdev("rdma_nic_pfc_rx_frames_total", ",priority=\"0\"")) == "7");
  CHECK(series.at(on_netdev("rdma_nic_pfc_rx_frames_total", ",priority=\"3\"")) == "7");
}

TEST_CASE("PFC that is off is 0, PFC nobody could read is absent") {
  core::NetdevSnapshot netdev = named("eth2");
  netdev.dcb.emplace();
  CHECK(render(netdev).count(on_netdev("rdma_nic_pfc_enabled", ",priority=\"3\"")) == 0);
  netdev.dcb->pfc_enabled = core::PerPriority<bool>{false, false, false, true};
  const Series series = render(netdev);
  CHECK(series.at(on_netdev("rdma_nic_pfc_enabled", ",priority=\"3\"")) == "1");
  CHECK(series.at(on_netdev("rdma_nic_pfc_enabled", ",priority=\"4\"")) == "0");
}

TEST_CASE("Bandwidth shares belong to ETS classes only") {
  core::NetdevSnapshot netdev = named("eth2");
  netdev.dcb.emplace();
  netdev.dcb->ets.emplace();
  netdev.dcb->ets->algorithm = {2, 0};
  netdev.dcb->ets->bandwidth_percent = {60, 40};
  const Series series = render(netdev);
  CHECK(series.at(on_netdev("rdma_nic_ets_bandwidth_ratio", ",tc=\"0\"")) == "0.6");
  CHECK(series.count(on_netdev("rdma_nic_ets_bandwidth_ratio", ",tc=\"1\"")) == 0);
}

TEST_CASE("A bond says how many of its members have a carrier") {
  core::DeviceSnapshot device = device_with("mlx5_bond_0", active_port());
  device.netdevs = {named("bond0"), named("eth2"), named("eth3")};
  device.netdevs[0].is_bond = true;
  device.netdevs[0].bond_members = {"eth2", "eth3", "eth4"};
  device.netdevs[1].carrier = true;
  device.netdevs[2].carrier = false;
  std::string out;
  render_prometheus(host_with(device), {}, {}, out);
  const Series series = test::parse_series(out);
  const std::string labels = "{device=\"mlx5_bond_0\",netdev=\"bond0\"}";
  CHECK(series.at("rdma_nic_bond_members" + labels) == "3");
  CHECK(series.at("rdma_nic_bond_members_up" + labels) == "1");
}

TEST_CASE("Light is shown by lane, with the limits the module states") {
  std::string out;
  render_prometheus(test::full_host(), {}, {}, out);
  const Series series = test::parse_series(out);
  const std::string labels = "{device=\"mlx5_0\",netdev=\"ens5f0np0\"";
  CHECK(series.at("rdma_nic_module_rx_power_watts" + labels + ",lane=\"0\"}") == "9e-04");
  CHECK(series.count("rdma_nic_module_rx_power_watts" + labels + ",lane=\"1\"}") == 0);
  CHECK(series.at("rdma_nic_module_rx_power_low_warning_watts" + labels + "}") == "2e-05");
  CHECK(series.at("rdma_nic_module_temperature_celsius" + labels + "}") == "47.5");
  CHECK(series.at("rdma_nic_module_temperature_high_warning_celsius" + labels + "}") == "70");
  CHECK(series.at("rdma_nic_trust_info" + labels +
                  ",mode=\"dscp\",learnt_from=\"dcb trust table\"}") == "1");
  CHECK(series.at("rdma_nic_dscp_priority" + labels + ",dscp=\"26\"}") == "3");
  CHECK(
      series.at("rdma_roce_ecn_enabled{device=\"mlx5_0\",port=\"1\",role=\"np\",priority=\"3\"}") ==
      "1");
  CHECK(series.at("rdma_nic_fec_lane_corrected_blocks_total" + labels + ",lane=\"1\"}") == "2");
}

TEST_CASE("Each source's families go with its filter") {
  std::string out;
  MetricsOptions options;
  options.sources.set(static_cast<std::size_t>(core::Source::kDcb));
  render_prometheus(test::full_host(), {}, options, out);
  CHECK(out.find("rdma_nic_pfc_enabled") != std::string::npos);
  CHECK(out.find("rdma_nic_module") == std::string::npos);
  CHECK(out.find("rdma_nic_up") == std::string::npos);
  CHECK(out.find("rdma_nic_pfc_rx_frames") == std::string::npos);
}

}  // namespace
}  // namespace rdmadiag::exporters
