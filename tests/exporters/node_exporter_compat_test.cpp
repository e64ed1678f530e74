#include <catch2/catch.hpp>

#include "exporters/prometheus.h"
#include "tests/exporters/host_builder.h"
#include "tests/exporters/series.h"

namespace rdmadiag::exporters {
namespace {

using test::active_port;
using test::sample;

constexpr auto kCounters = core::CounterSource::kPortCounters;

std::map<std::string, std::string> render(const core::PortSnapshot& port, bool node_exporter) {
  MetricsOptions options;
  options.node_exporter = node_exporter;
  core::DeviceSnapshot device = test::device_with("mlx5_0", port);
  device.board_id = "MT_0000000838";
  device.firmware = "28.39.1002";
  std::string out;
  render_prometheus(test::host_with(std::move(device)), {}, options, out);
  return test::parse_series(out);
}

std::string on_port(const std::string& metric) {
  return "node_infiniband_" + metric + "{device=\"mlx5_0\",port=\"1\"}";
}

TEST_CASE("node_infiniband_* is off unless asked for") {
  for (const auto& [name, value] : render(active_port(), false)) {
    CHECK_FALSE(name.starts_with("node_"));
  }
}

TEST_CASE("Words become bytes, in counters and counters_ext, and wrap as in node_exporter") {
  core::PortSnapshot port = active_port();
  port.counters = {sample(kCounters, "mlx5", "port_rcv_data", 5),
                   sample(kCounters, "mlx5", "port_rcv_data_64", 6),
                   sample(kCounters, "mlx5", "port_xmit_data", std::uint64_t{1} << 62U),
                   sample(kCounters, "mlx5", "VL15_dropped", 7)};
  const auto series = render(port, true);
  CHECK(series.at(on_port("port_data_received_bytes_total")) == "20");
  CHECK(series.at(on_port("legacy_data_received_bytes_total")) == "24");
  CHECK(series.at(on_port("port_data_transmitted_bytes_total")) == "0");
  CHECK(series.at(on_port("vl15_dropped_total")) == "7");
  CHECK(series.count(on_port("symbol_error_total")) == 0);
}

TEST_CASE("States and the made-up rate of a port that is down") {
  core::PortSnapshot port = active_port();
  port.state = 1;
  port.physical_state = 2;
  port.rate = core::PortRate{.bits_per_second = 53.1e9, .width_lanes = 4, .speed_name = {}};
  const auto series = render(port, true);
  CHECK(series.at(on_port("state_id")) == "1");
  CHECK(series.at(on_port("physical_state_id")) == "2");
  CHECK(series.at(on_port("rate_bytes_per_second")) == "6637499809");  // 53.1 as a 32-bit float
  CHECK(series.count("node_infiniband_info{board_id=\"MT_0000000838\",device=\"mlx5_0\","
                     "firmware_version=\"28.39.1002\",hca_type=\"\"}") == 1);
}

TEST_CASE("hw_counters of the same name are not taken for port counters") {
  core::PortSnapshot port = active_port();
  port.counters = {sample(core::CounterSource::kPortHwCounters, "mlx5", "symbol_error", 9)};
  CHECK(render(port, true).count(on_port("symbol_error_total")) == 0);
}

}  // namespace
}  // namespace rdmadiag::exporters
