// Every output for hosts that are always the same. The golden files are also what promtool and the
// JSON schema's check look at.
#include <catch2/catch.hpp>

#include "exporters/json.h"
#include "exporters/prometheus.h"
#include "tests/exporters/full_host.h"
#include "tests/support/golden.h"

namespace rdmadiag::exporters {
namespace {

void check_all(const std::string& name, const core::HostSnapshot& host,
               const core::AgentStatus& agent) {
  std::string metrics;
  MetricsOptions options;
  options.node_exporter = true;
  render_prometheus(host, agent, options, metrics);
  CHECK(test::golden_difference(name + "/metrics.prom", metrics) == "");
  CHECK(test::golden_difference(name + "/snapshot.json",
                                render_json(host, agent, JsonLayout::kIndented)) == "");
}

TEST_CASE("Outputs of a host in which everything has a value") {
  check_all("full", test::full_host(), test::full_agent());
}

TEST_CASE("Outputs of a host without RDMA") { check_all("empty", {}, {}); }

}  // namespace
}  // namespace rdmadiag::exporters
