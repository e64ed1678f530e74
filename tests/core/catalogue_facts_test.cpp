// The catalogue against lists of its own: every counter of the facts base, and whole sample
// devices.
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "agent/core/catalogue.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using core::CounterSource;

namespace {

struct Fact {
  std::string source, driver, counter, metric, scale;
};

std::vector<Fact> read_facts() {
  std::ifstream in(RDMADIAG_FIXTURES "/counters.tsv");
  std::vector<Fact> facts;
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with('#') || line.starts_with("source\t")) continue;
    std::istringstream cells(line);
    Fact fact;
    std::getline(cells, fact.source, '\t');
    std::getline(cells, fact.driver, '\t');
    std::getline(cells, fact.counter, '\t');
    std::getline(cells, fact.metric, '\t');
    std::getline(cells, fact.scale, '\t');
    facts.push_back(fact);
  }
  return facts;
}

CounterSource source_of(const Fact& fact) {
  if (fact.source == "port_counters") return CounterSource::kPortCounters;
  if (fact.source == "port") return CounterSource::kPortHwCounters;
  if (fact.source == "device") return CounterSource::kDeviceHwCounters;
  return CounterSource::kEthtool;
}

// Sums what the port's files say by metric, as an exporter must.
std::map<std::string, double> port_metrics(std::string_view tree, std::string_view driver) {
  std::map<std::string, double> sums;
  for (const test::SampleFile& file : test::sample_files(tree)) {
    const std::size_t at = file.path.find("/ports/1/hw_counters/");
    if (at == std::string::npos) continue;
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    const core::CounterSpec* spec =
        core::find_counter(CounterSource::kPortHwCounters, driver, name);
    if (name == "lifespan") continue;
    INFO(name);
    REQUIRE(spec != nullptr);
    sums[std::string(spec->metric->name)] += std::stod(file.content) * spec->scale;
  }
  return sums;
}

}  // namespace

TEST_CASE("every counter of the facts base is catalogued under its metric") {
  const std::vector<Fact> facts = read_facts();
  REQUIRE(facts.size() == 1301);
  for (const Fact& fact : facts) {
    INFO(fact.source << " " << fact.driver << " " << fact.counter);
    const core::CounterSpec* spec = core::find_counter(source_of(fact), fact.driver, fact.counter);
    REQUIRE(spec != nullptr);
    CHECK(spec->scale == Approx(std::stod(fact.scale)));
    if (fact.metric == "-") {
      CHECK(spec->metric->name.starts_with("rdma_" + fact.driver + "_"));
    } else {
      CHECK(spec->metric->name == fact.metric);
    }
  }
}

TEST_CASE("the kernel's renaming of bnxt_re counters does not rename a metric") {
  auto before = port_metrics("bnxt_re_6_12", "bnxt_re");
  auto after = port_metrics("bnxt_re_6_18", "bnxt_re");
  REQUIRE(before.size() > 50);
  // What the newer firmware counts in another way, as the sample's own values show.
  const std::set<std::string> apart = {
      "rdma_requester_cqe_errors_total", "rdma_responder_cqe_errors_total",
      "rdma_responder_completion_errors_total", "rdma_cq_context_errors_total",
      "rdma_responder_remote_access_errors_total"};
  std::size_t compared = 0;
  for (const auto& [metric, value] : before) {
    const auto other = after.find(metric);
    if (other == after.end() || apart.contains(metric)) continue;
    INFO(metric);
    CHECK(other->second == value);
    ++compared;
  }
  CHECK(compared > 40);
  for (const char* metric :
       {"rdma_out_of_sequence_received_total", "rdma_ack_timeouts_total", "rdma_implied_nak_total",
        "rdma_cnp_sent_total", "rdma_cnp_received_total", "rdma_ecn_marked_received_total",
        "rdma_rx_no_buffer_drops_total", "rdma_seq_nak_received_total",
        "rdma_rnr_nak_received_total", "rdma_duplicate_requests_received_total",
        "rdma_rx_write_requests_total"}) {
    INFO(metric);
    CHECK(before.contains(metric));
    CHECK(after.contains(metric));
  }
}

TEST_CASE("metrics others emit by name are not in the catalogue") {
  const std::set<std::string_view> taken = {"rdma_devices",
                                            "rdma_device_info",
                                            "rdma_device_present",
                                            "rdma_device_resources",
                                            "rdma_device_qps",
                                            "rdma_device_pcie_errors_total",
                                            "rdma_device_health_state",
                                            "rdma_device_health_errors_total",
                                            "rdma_device_health_recoveries_total",
                                            "rdma_device_temperature_celsius",
                                            "rdma_port_info",
                                            "rdma_port_state",
                                            "rdma_port_physical_state",
                                            "rdma_port_up",
                                            "rdma_port_lid",
                                            "rdma_port_gids",
                                            "rdma_port_state_changes_total",
                                            "rdma_port_counters_saturated",
                                            "rdma_uncatalogued_counters",
                                            "rdma_uncatalogued_truncated",
                                            "rdma_nic_pfc_enabled",
                                            "rdma_nic_pfc_capable_classes",
                                            "rdma_nic_dscp_priority",
                                            "rdma_nic_trust_info",
                                            "rdma_nic_ets_bandwidth_ratio",
                                            "rdma_nic_speed_bytes_per_second",
                                            "rdma_nic_carrier_changes_total",
                                            "rdma_nic_up",
                                            "rdma_roce_ecn_enabled"};
  for (const core::MetricSpec& metric : core::all_metrics()) {
    INFO(metric.name);
    CHECK_FALSE(taken.contains(metric.name));
    CHECK_FALSE(metric.name.starts_with("rdma_probe_"));
    CHECK_FALSE(metric.name.starts_with("rdma_rc_probe_"));
    CHECK_FALSE(metric.name.starts_with("rdma_nic_module_temperature"));
  }
}
