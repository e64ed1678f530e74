// Every output for hosts that are always the same. The golden files are also what promtool and the
// JSON schema's check look at.
#include <catch2/catch.hpp>

#include "exporters/html.h"
#include "exporters/json.h"
#include "exporters/prometheus.h"
#include "exporters/text.h"
#include "tests/exporters/full_host.h"
#include "tests/support/golden.h"

namespace rdmadiag::exporters {
namespace {

void check_text(const std::string& name, const core::HostSnapshot& host,
                const core::AgentStatus& agent) {
  const TerminalStyle wide{.width = 100, .colour = false, .utf8 = true};
  const TerminalStyle narrow{.width = 40, .colour = false, .utf8 = false};
  const auto changes = core::host_changes(host, host);
  const auto same = [&](const std::string& file, const std::string& text) {
    CHECK(test::golden_difference(name + "/" + file, text) == "");
  };
  same("status.txt", render_status(host, agent, wide));
  same("status_40.txt", render_status(host, agent, narrow));
  same("devices.txt", render_devices(host, DeviceDetail::kFull, wide));
  same("gids.txt", render_gids(host, wide));
  same("counters.txt", render_counters(changes, {}, wide));
}

void check_all(const std::string& name, const core::HostSnapshot& host,
               const core::AgentStatus& agent) {
  std::string metrics;
  MetricsOptions options;
  options.node_exporter = true;
  render_prometheus(host, agent, options, metrics);
  CHECK(test::golden_difference(name + "/metrics.prom", metrics) == "");
  CHECK(test::golden_difference(name + "/snapshot.json",
                                render_json(host, agent, JsonLayout::kIndented)) == "");
  CHECK(test::golden_difference(
            name + "/page.html",
            render_page({.now = host, .at_start = &host, .previous = &host, .agent = agent})) ==
        "");
  check_text(name, host, agent);
}

TEST_CASE("Outputs of a host in which everything has a value") {
  check_all("full", test::full_host(), test::full_agent());
}

TEST_CASE("Outputs of a host without RDMA") { check_all("empty", {}, {}); }

}  // namespace
}  // namespace rdmadiag::exporters
