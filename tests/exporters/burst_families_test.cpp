#include <catch2/catch.hpp>

#include "exporters/prometheus.h"
#include "tests/exporters/host_builder.h"
#include "tests/exporters/series.h"

namespace rdmadiag::exporters {
namespace {

using Series = std::map<std::string, std::string>;

Series rendered(const core::AgentStatus& agent) {
  std::string text;
  render_prometheus(test::host_with(test::device_with("mlx5_0", test::active_port())), agent, {},
                    text);
  return test::parse_series(text);
}

core::BurstDevice sampled() {
  core::BurstDevice device;
  device.device = "mlx5_0";
  device.window_seconds = 15;
  device.samples = 700;
  device.dropped = 50;
  device.cpu_seconds = 0.25;
  core::BurstStatus& port = device.ports.emplace_back();
  port.port = 1;
  port.peak_per_second = {1e9, 2e9, 30.0, std::nullopt, 4.0, 5.0};
  port.near_line_seconds[0] = 0.5;
  port.paused_seconds[2] = 1.5;
  port.longest_pause_seconds[2] = 0.25;
  return device;
}

TEST_CASE("Bursts are written by port and direction, their cost by device") {
  core::AgentStatus agent;
  agent.bursts = {sampled()};
  const Series series = rendered(agent);
  const std::string port = R"({device="mlx5_0",port="1")";
  CHECK(std::stod(series.at("rdma_port_burst_peak_bytes_per_second" + port +
                            R"(,direction="rx"})")) == 1e9);
  CHECK(std::stod(series.at("rdma_port_burst_peak_bytes_per_second" + port +
                            R"(,direction="tx"})")) == 2e9);
  CHECK(series.at("rdma_port_burst_near_line_rate_seconds_total" + port + R"(,direction="rx"})") ==
        "0.5");
  CHECK(series.at("rdma_port_burst_peak_pauses_per_second" + port + R"(,direction="rx"})") == "30");
  CHECK(series.at("rdma_port_burst_paused_seconds_total" + port + R"(,direction="rx"})") == "1.5");
  CHECK(series.at("rdma_port_burst_longest_pause_seconds" + port + R"(,direction="rx"})") ==
        "0.25");
  CHECK(series.at("rdma_port_burst_peak_discards_per_second" + port + "}") == "4");
  CHECK(series.at("rdma_port_burst_peak_ecn_marks_per_second" + port + "}") == "5");
  CHECK(series.at(R"(rdmadiag_burst_window_seconds{device="mlx5_0"})") == "15");
  CHECK(series.at(R"(rdmadiag_burst_samples_total{device="mlx5_0"})") == "700");
  CHECK(series.at(R"(rdmadiag_burst_dropped_samples_total{device="mlx5_0"})") == "50");
  CHECK(series.at(R"(rdmadiag_burst_cpu_seconds_total{device="mlx5_0"})") == "0.25");
}

TEST_CASE("What a port cannot count has no series") {
  core::AgentStatus agent;
  agent.bursts = {sampled()};
  const Series series = rendered(agent);
  for (const auto& [name, value] : series) {
    CHECK(name.find(R"(pauses_per_second{device="mlx5_0",port="1",direction="tx")") ==
          std::string::npos);
    CHECK(name.find(R"(near_line_rate_seconds_total{device="mlx5_0",port="1",direction="tx")") ==
          std::string::npos);
  }
}

TEST_CASE("Without the sampler there is no series of it") {
  for (const auto& [name, value] : rendered({})) CHECK(name.find("burst") == std::string::npos);
}

}  // namespace
}  // namespace rdmadiag::exporters
