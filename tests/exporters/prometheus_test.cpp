#include "exporters/prometheus.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/exporters/host_builder.h"
#include "tests/exporters/series.h"

namespace rdmadiag::exporters {
namespace {

using core::CounterSource;
using test::active_port;
using test::device_with;
using test::host_with;
using test::sample;
using Series = std::map<std::string, std::string>;

constexpr auto kCounters = CounterSource::kPortCounters;
constexpr auto kHwCounters = CounterSource::kPortHwCounters;
constexpr auto kDeviceCounters = CounterSource::kDeviceHwCounters;

Series render(const core::HostSnapshot& host, const core::AgentStatus& agent = {},
              const MetricsOptions& options = {}) {
  std::string out;
  render_prometheus(host, agent, options, out);
  return test::parse_series(out);
}

Series render_port(core::PortSnapshot port) {
  return render(host_with(device_with("mlx5_0", std::move(port))));
}

std::string on_port(const std::string& metric, const std::string& more = "") {
  return metric + "{device=\"mlx5_0\",port=\"1\"" + more + "}";
}

TEST_CASE("A host without devices is a normal state") {
  const Series series = render({});
  CHECK(series.at("rdma_devices") == "0");
  CHECK(series.count("rdmadiag_build_info{version=\"\",revision=\"\"}") == 1);
}

TEST_CASE("Bytes are words times four whatever the width") {
  for (const int lanes : {1, 2, 4, 12}) {
    core::PortSnapshot port = active_port();
    port.rate =
        core::PortRate{.bits_per_second = 25e9 * lanes, .width_lanes = lanes, .speed_name = {}};
    port.counters = {sample(kCounters, "mlx5", "port_rcv_data", 1000),
                     sample(kCounters, "mlx5", "port_xmit_data", 7)};
    const Series series = render_port(port);
    CHECK(series.at(on_port("rdma_port_rx_bytes_total")) == "4000");
    CHECK(series.at(on_port("rdma_port_tx_bytes_total")) == "28");
    CHECK(series.at(on_port("rdma_port_width_lanes")) == std::to_string(lanes));
    CHECK(std::stod(series.at(on_port("rdma_port_rate_bytes_per_second"))) == 25e9 * lanes / 8);
    CHECK(std::stod(series.at(on_port("rdma_port_lane_rate_bytes_per_second"))) == 25e9 / 8);
  }
}

TEST_CASE("A port that is not ACTIVE has states and no rate") {
  core::PortSnapshot port = active_port();
  port.state = 1;
  port.physical_state = 2;
  const Series series = render_port(port);
  CHECK(series.at(on_port("rdma_port_state")) == "1");
  CHECK(series.at(on_port("rdma_port_physical_state")) == "2");
  CHECK(series.at(on_port("rdma_port_up")) == "0");
  CHECK(series.count(on_port("rdma_port_rate_bytes_per_second")) == 0);
  CHECK(series.count(on_port("rdma_port_width_lanes")) == 0);
  CHECK(series.count(on_port("rdma_port_lane_rate_bytes_per_second")) == 0);
}

TEST_CASE("What is not known is absent; unknown states are passed on") {
  core::PortSnapshot port;
  port.number = 1;
  port.physical_state = 42;
  const Series series = render_port(port);
  CHECK(series.at(on_port("rdma_port_physical_state")) == "42");
  CHECK(series.count(on_port("rdma_port_state")) == 0);
  CHECK(series.count(on_port("rdma_port_up")) == 0);
  CHECK(series.count(on_port("rdma_port_lid")) == 0);
  CHECK(series.count(on_port("rdma_port_rx_bytes_total")) == 0);
}

TEST_CASE("One metric is the sum of its sources on one port, never across ports or scopes") {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port(1));
  device.driver = "bnxt_re";
  device.ports.push_back(active_port(2));
  device.ports[0].counters = {sample(kHwCounters, "bnxt_re", "to_retransmits", 3),
                              sample(kHwCounters, "bnxt_re", "dup_req", 100),
                              sample(kHwCounters, "bnxt_re", "local_ack_timeout_err", 4)};
  device.ports[1].counters = {sample(kHwCounters, "bnxt_re", "to_retransmits", 10)};
  const Series series = render(host_with(device));
  CHECK(series.at(on_port("rdma_ack_timeouts_total")) == "7");
  CHECK(series.at("rdma_ack_timeouts_total{device=\"mlx5_0\",port=\"2\"}") == "10");
  CHECK(series.at(on_port("rdma_duplicate_requests_received_total")) == "100");
}

TEST_CASE("An index in the kernel's name makes no second series where the metric has no label") {
  core::PortSnapshot port = active_port();
  port.counters = {sample(kHwCounters, "hfi1", "RcvHdrOvr0", 1),
                   sample(kHwCounters, "hfi1", "RcvHdrOvr12", 2)};
  REQUIRE(port.counters[0].spec->index != port.counters[1].spec->index);
  CHECK(render_port(port).at(on_port("rdma_rx_no_buffer_drops_total")) == "3");
  port.counters = {sample(kDeviceCounters, "hfi1", "DcRxFlitVl0", 1),
                   sample(kDeviceCounters, "hfi1", "DcRxFlitVl15", 2)};
  const Series series = render_port(port);
  CHECK(series.at(on_port("rdma_hfi1_dc_rx_vl_bytes_total", ",vl=\"0\"")) == "8");
  CHECK(series.at(on_port("rdma_hfi1_dc_rx_vl_bytes_total", ",vl=\"15\"")) == "16");
}

TEST_CASE("Device counters carry no port") {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port());
  device.counters = {sample(kDeviceCounters, "mlx5", "cq_overrun", 5)};
  REQUIRE(device.counters[0].spec != nullptr);
  CHECK(render(host_with(device)).at("rdma_cq_overflows_total{device=\"mlx5_0\"}") == "5");
}

TEST_CASE("Sums are exact up to 64 bits and go on as floating point beyond") {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  const auto rx_bytes = [](std::initializer_list<std::uint64_t> words) {
    core::PortSnapshot port = active_port();
    for (const std::uint64_t value : words) {
      port.counters.push_back(sample(kCounters, "mlx5", "port_rcv_data", value));
    }
    return render_port(port).at(on_port("rdma_port_rx_bytes_total"));
  };
  CHECK(rx_bytes({9007199254740993}) == "36028797018963972");  // 4 × (2^53 + 1)
  CHECK(rx_bytes({kMax / 4}) == "18446744073709551612");
  CHECK(std::stod(rx_bytes({kMax})) == Approx(4.0 * 18446744073709551615.0));
  CHECK(std::stod(rx_bytes({kMax / 4, kMax / 4, 25})) == Approx(2 * 18446744073709551615.0));
}

TEST_CASE("Fixed-width fields at their maximum are flagged, one below is not") {
  const std::vector<std::pair<std::string, std::uint64_t>> fields = {
      {"local_link_integrity_errors", 15},
      {"link_downed", 255},
      {"symbol_error", 65535},
      {"port_xmit_wait", 4294967295}};
  for (const auto& [name, maximum] : fields) {
    core::PortSnapshot port = active_port();
    const std::string flag = on_port("rdma_port_counters_saturated", ",counter=\"" + name + "\"");
    port.counters = {sample(kCounters, "mlx5", name, maximum)};
    CHECK(render_port(port).at(flag) == "1");
    port.counters = {sample(kCounters, "mlx5", name, maximum - 1)};
    CHECK(render_port(port).count(flag) == 0);
  }
}

TEST_CASE("lifespan is a gauge in seconds") {
  core::PortSnapshot port = active_port();
  port.lifespan_milliseconds = 10;
  CHECK(render_port(port).at(on_port("rdma_port_hw_counters_lifespan_seconds")) == "0.01");
}

TEST_CASE("LIDs belong to InfiniBand") {
  core::PortSnapshot port = active_port();
  port.lid = 17;
  port.sm_lid = 1;
  CHECK(render_port(port).at(on_port("rdma_port_lid")) == "17");
  port.link_layer = core::LinkLayer::kEthernet;
  CHECK(render_port(port).count(on_port("rdma_port_lid")) == 0);
  CHECK(render_port(port).count(on_port("rdma_port_sm_lid")) == 0);
}

TEST_CASE("RoCE ports say that they have no v2 GID; unread tables say nothing") {
  core::PortSnapshot port = active_port();
  port.link_layer = core::LinkLayer::kEthernet;
  CHECK(render_port(port).count(on_port("rdma_port_gids", ",type=\"roce_v2\"")) == 0);
  port.gids.resize(2);
  port.gids[0].type = core::GidType::kRoceV1;
  port.gids[1].type = core::GidType::kRoceV1;
  const Series series = render_port(port);
  CHECK(series.at(on_port("rdma_port_gids", ",type=\"roce_v1\"")) == "2");
  CHECK(series.at(on_port("rdma_port_gids", ",type=\"roce_v2\"")) == "0");
  CHECK(series.count(on_port("rdma_port_gids", ",type=\"ib\"")) == 0);
}

TEST_CASE("A vanished device stays at 0, a stuck one is present without counters") {
  core::HostSnapshot host = host_with(device_with("mlx5_0", active_port()));
  core::DeviceEntry gone;
  gone.name = "mlx5_1";
  gone.present = false;
  core::DeviceEntry stuck;
  stuck.name = "mlx5_2";
  stuck.stuck = true;
  stuck.age = std::chrono::milliseconds(2500);
  stuck.sources = {test::source_status(core::Source::kSysfsCounters, false)};
  host.devices.push_back(gone);
  host.devices.push_back(stuck);
  const Series series = render(host);
  CHECK(series.at("rdma_devices") == "2");
  CHECK(series.at("rdma_device_present{device=\"mlx5_0\"}") == "1");
  CHECK(series.at("rdma_device_present{device=\"mlx5_1\"}") == "0");
  CHECK(series.at("rdma_device_present{device=\"mlx5_2\"}") == "1");
  CHECK(series.at("rdmadiag_snapshot_age_seconds{device=\"mlx5_2\"}") == "2.5");
  CHECK(series.at("rdmadiag_source_success{source=\"sysfs_counters\",device=\"mlx5_2\"}") == "0");
  for (const auto& [name, value] : series)
    CHECK(name.find("rdma_port_state{device=\"mlx5_2\"") != 0);
}

TEST_CASE("Bond, VF and netdev are in the port's info") {
  core::DeviceSnapshot device = device_with("mlx5_bond_0", active_port());
  device.ports[0].netdev = "bond0";
  device.ports[0].link_layer = core::LinkLayer::kEthernet;
  device.netdevs.resize(1);
  device.netdevs[0].name = "bond0";
  device.netdevs[0].is_bond = true;
  device.netdevs[0].carrier = true;
  const Series series = render(host_with(device));
  CHECK(series.count("rdma_port_info{device=\"mlx5_bond_0\",port=\"1\",link_layer=\"Ethernet\","
                     "netdev=\"bond0\",is_vf=\"false\",bond=\"bond0\"}") == 1);
  CHECK(series.at("rdma_nic_up{device=\"mlx5_bond_0\",netdev=\"bond0\"}") == "1");
  CHECK(series.at("rdma_nic_speed_known{device=\"mlx5_bond_0\",netdev=\"bond0\"}") == "0");
  CHECK(series.count("rdma_nic_speed_bytes_per_second{device=\"mlx5_bond_0\",netdev=\"bond0\"}") ==
        0);
}

TEST_CASE("Sensors of one name and QPs of one kind give one series each") {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port());
  device.temperatures = {{.sensor = "temp1", .celsius = 50, .critical_celsius = {}},
                         {.sensor = "temp1", .celsius = 60, .critical_celsius = 105}};
  device.queue_pairs.emplace(3);
  (*device.queue_pairs)[0].type = 2;
  (*device.queue_pairs)[1].type = 2;
  (*device.queue_pairs)[2].state = 6;
  const Series series = render(host_with(device));
  const std::string temperature = "rdma_device_temperature_celsius{device=\"mlx5_0\",sensor=";
  CHECK(series.at(temperature + "\"temp1\"}") == "50");
  CHECK(series.at(temperature + "\"temp1#2\"}") == "60");
  CHECK(
      series.at("rdma_device_temperature_critical_celsius{device=\"mlx5_0\",sensor=\"temp1#2\"}") ==
      "105");
  CHECK(series.at("rdma_device_qps{device=\"mlx5_0\",type=\"RC\",state=\"RESET\"}") == "2");
  CHECK(series.at("rdma_device_qps{device=\"mlx5_0\",type=\"SMI\",state=\"ERR\"}") == "1");
}

TEST_CASE("Health reporters of one name are one series: the worst state, all errors") {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port());
  device.health.resize(2);
  device.health[0].name = device.health[1].name = "tx";
  device.health[0].state = 1;
  device.health[1].state = 0;
  device.health[0].errors = 3;
  device.health[1].errors = 4;
  const Series series = render(host_with(device));
  CHECK(series.at("rdma_device_health_state{device=\"mlx5_0\",reporter=\"tx\"}") == "1");
  CHECK(series.at("rdma_device_health_errors_total{device=\"mlx5_0\",reporter=\"tx\"}") == "7");
}

}  // namespace
}  // namespace rdmadiag::exporters
