// The agent's own metrics, the source filter, and names that mean harm.
#include <catch2/catch.hpp>

#include "exporters/prometheus.h"
#include "tests/exporters/host_builder.h"
#include "tests/exporters/series.h"

namespace rdmadiag::exporters {
namespace {

using test::active_port;
using test::device_with;
using test::host_with;
using test::sample;
using Series = std::map<std::string, std::string>;

constexpr auto kCounters = core::CounterSource::kPortCounters;
constexpr auto kHwCounters = core::CounterSource::kPortHwCounters;

Series render(const core::HostSnapshot& host, const core::AgentStatus& agent = {},
              const MetricsOptions& options = {}) {
  std::string out;
  render_prometheus(host, agent, options, out);
  return test::parse_series(out);
}

core::DeviceSnapshot device_of_many_sources() {
  core::PortSnapshot port = active_port();
  port.counters = {sample(kCounters, "mlx5", "symbol_error", 65535),
                   sample(kHwCounters, "mlx5", "out_of_sequence", 2),
                   sample(kHwCounters, "mlx5", "brand_new_counter", 3)};
  core::DeviceSnapshot device = device_with("mlx5_0", port);
  device.pcie.current_width_lanes = 16;
  device.resources = {{.object = "qp", .current = 12, .max = 131072}};
  device.sources = {test::source_status(core::Source::kSysfsCounters, true),
                    test::source_status(core::Source::kPcie, true)};
  return device;
}

TEST_CASE("The collect filter picks sources; the agent's build and reload state stay") {
  const core::HostSnapshot host = host_with(device_of_many_sources());
  core::AgentStatus agent;
  agent.process = core::ProcessStats{};
  agent.process->threads = 4;
  MetricsOptions options;
  options.sources.set(static_cast<std::size_t>(core::Source::kSysfsCounters));
  const Series some = render(host, agent, options);
  CHECK(some.count("rdma_port_symbol_errors_total{device=\"mlx5_0\",port=\"1\"}") == 1);
  CHECK(some.count("rdmadiag_config_last_reload_successful") == 1);
  CHECK(some.count("rdmadiag_source_success{source=\"sysfs_counters\",device=\"mlx5_0\"}") == 1);
  CHECK(some.count("rdmadiag_source_success{source=\"pcie\",device=\"mlx5_0\"}") == 0);
  CHECK(some.count("rdma_devices") == 0);
  CHECK(some.count("process_threads") == 0);
  std::size_t of_other_sources = 0;
  for (const auto& [name, value] : some) {
    of_other_sources += name.starts_with("rdma_device_") || name.starts_with("rdma_port_state") ||
                        name.starts_with("rdma_out_of_sequence") ||
                        name.starts_with("rdma_uncatalogued");
  }
  CHECK(of_other_sources == 0);

  const Series all = render(host, agent);
  CHECK(all.at("process_threads") == "4");
  CHECK(all.at("rdma_device_resources{device=\"mlx5_0\",object=\"qp\"}") == "12");
  CHECK(all.at("rdma_device_resources_limit{device=\"mlx5_0\",object=\"qp\"}") == "131072");
  CHECK(all.at("rdma_device_pcie_width_lanes{device=\"mlx5_0\",kind=\"current\"}") == "16");
  CHECK(
      all.at("rdma_uncatalogued_counters{device=\"mlx5_0\",port=\"1\",source=\"sysfs_hw_counters\","
             "counter=\"brand_new_counter\"}") == "3");
  CHECK(all.at("rdma_uncatalogued_truncated{device=\"mlx5_0\"}") == "0");
}

TEST_CASE("Devices are counted when somebody could tell which there are") {
  const auto devices = [](bool sysfs, bool netlink) {
    core::HostSnapshot host;
    host.sources = {test::source_status(core::Source::kSysfsPort, sysfs),
                    test::source_status(core::Source::kRdmaNetlink, netlink)};
    return render(host).count("rdma_devices");
  };
  CHECK(devices(true, true) == 1);
  CHECK(devices(false, true) == 1);
  CHECK(devices(true, false) == 1);
  CHECK(devices(false, false) == 0);
}

TEST_CASE("What the agent knows of itself and its ports") {
  core::AgentStatus agent;
  agent.version = "1.2.3";
  agent.revision = "abc";
  agent.config_reload_successful = false;
  agent.config_reloaded_at = core::SystemTime(std::chrono::milliseconds(1'767'225'600'500));
  agent.ports = {{.device = "mlx5_0",
                  .port = 1,
                  .expected_bits_per_second = 400e9,
                  .state_changes = 3,
                  .last_state_change = core::SystemTime(std::chrono::seconds(1'767'225'601))}};
  const Series series = render(host_with(device_with("mlx5_0", active_port())), agent);
  CHECK(series.at("rdmadiag_build_info{version=\"1.2.3\",revision=\"abc\"}") == "1");
  CHECK(series.at("rdmadiag_config_last_reload_successful") == "0");
  CHECK(series.at("rdmadiag_config_last_reload_success_timestamp_seconds") == "1767225600.5");
  const std::string web = "rdmadiag_web_config_last_reload_successful";
  CHECK(series.count(web) == 0);
  agent.web_config_reload_successful = false;
  CHECK(render(core::HostSnapshot(), agent).at(web) == "0");
  agent.web_config_reload_successful = true;
  CHECK(render(core::HostSnapshot(), agent).at(web) == "1");
  const std::string labels = "{device=\"mlx5_0\",port=\"1\"}";
  CHECK(std::stod(series.at("rdma_port_expected_rate_bytes_per_second" + labels)) == 50e9);
  CHECK(series.at("rdma_port_state_changes_total" + labels) == "3");
  CHECK(series.at("rdma_port_state_change_timestamp_seconds" + labels) == "1767225601");
}

TEST_CASE("Errors of sources appear by reason, findings once per label set") {
  core::DeviceSnapshot device = device_with("mlx5_0", active_port());
  device.sources = {test::source_status(core::Source::kSysfsCounters, true)};
  device.sources[0].errors[static_cast<std::size_t>(core::IssueReason::kEinval)] = 7;
  core::AgentStatus agent;
  core::Finding finding;
  finding.rule = "link-degraded";
  finding.subject = {.device = "mlx5_0", .port = 1, .netdev = "eth0"};
  agent.diagnosis.findings = {finding, finding};
  agent.diagnosis.findings[1].subject.netdev = "eth1";
  const Series series = render(host_with(device), agent);
  const std::string errors =
      "rdmadiag_source_errors_total{source=\"sysfs_counters\",device=\"mlx5_0\"";
  CHECK(series.at(errors + ",reason=\"einval\"}") == "7");
  CHECK(series.count(errors + ",reason=\"eio\"}") == 0);
  CHECK(series.at("rdmadiag_finding{rule=\"link-degraded\",severity=\"warning\",device=\"mlx5_0\","
                  "port=\"1\"}") == "1");
}

TEST_CASE("Unknown counters are capped per device, and the cap is said") {
  core::HostSnapshot host;
  for (const std::string name : {"a", "b"}) {
    core::PortSnapshot port = active_port();
    const int count = name == "a" ? 5 : 2;
    for (int i = 0; i < count; ++i) {
      port.counters.push_back(sample(kHwCounters, "mlx5", "zz_" + std::to_string(i), 1));
    }
    test::add_device(host, device_with(name, port));
  }
  MetricsOptions options;
  options.uncatalogued_limit = 3;
  const Series series = render(host, {}, options);
  std::size_t of_a = 0;
  for (const auto& [name, value] : series) {
    of_a += name.starts_with("rdma_uncatalogued_counters{device=\"a\"");
  }
  CHECK(of_a == 3);
  CHECK(series.at("rdma_uncatalogued_truncated{device=\"a\"}") == "1");
  CHECK(series.at("rdma_uncatalogued_truncated{device=\"b\"}") == "0");
}

TEST_CASE("Hostile names are escaped, and never give one series twice") {
  core::PortSnapshot port = active_port();
  port.counters = {sample(kHwCounters, "mlx5", "x\"} 1\nrdma_devices 9", 1),
                   sample(kHwCounters, "mlx5", "\xff", 2), sample(kHwCounters, "mlx5", "\\xff", 3)};
  const Series series = render(host_with(device_with("m\"\\\n\xfe", port)));
  CHECK(series.at("rdma_devices") == "1");
  const std::string device = "device=\"m\\\"\\\\\\n\\\\xfe\"";
  CHECK(series.at("rdma_device_present{" + device + "}") == "1");
  const std::string counter =
      "rdma_uncatalogued_counters{" + device + ",port=\"1\",source=\"sysfs_hw_counters\",counter=";
  CHECK(series.at(counter + "\"x\\\"} 1\\nrdma_devices 9\"}") == "1");
  CHECK(series.at(counter + "\"\\\\xff\"}") == "2");
  CHECK(series.at("rdma_uncatalogued_truncated{" + device + "}") == "1");
}

TEST_CASE("The same input gives the same text, appended to what is there") {
  const core::HostSnapshot host = host_with(device_of_many_sources());
  std::string first = "kept\n";
  std::string second = "kept\n";
  render_prometheus(host, {}, {}, first);
  render_prometheus(host, {}, {}, second);
  CHECK(first == second);
  CHECK(first.starts_with("kept\n# HELP "));
}

}  // namespace
}  // namespace rdmadiag::exporters
