// Every output for hosts that are always the same: the sample trees as the read path sees them, and
// two made by hand. promtool and the JSON schema's check look at the golden files too.
#include <catch2/catch.hpp>

#include "agent/core/diagnose/diagnose.h"
#include "agent/host/collect.h"
#include "exporters/json.h"
#include "tests/exporters/check_outputs.h"
#include "tests/exporters/full_host.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::exporters {
namespace {

using HostPointer = std::shared_ptr<const core::HostSnapshot>;

class Host {
 public:
  explicit Host(std::string_view tree) : tree_(tree), collector_(make()) {}

  // With the paths of issues as on a live host: the temporary folder's name changes.
  [[nodiscard]] HostPointer collect() {
    auto host = std::make_shared<core::HostSnapshot>(*collector_.collect());
    strip_root(host->issues);
    for (core::DeviceEntry& entry : host->devices) {
      if (!entry.snapshot) continue;
      auto device = std::make_shared<core::DeviceSnapshot>(*entry.snapshot);
      strip_root(device->issues);
      entry.snapshot = std::move(device);
    }
    return host;
  }
  void overlay(std::string_view tree, std::chrono::seconds later) {
    tree_.overlay(tree);
    clock_->advance(later);
  }

 private:
  host::Collector make() {
    host::CollectOptions options;
    // A busy machine must not make a device of a golden file stuck.
    options.deadline = std::chrono::minutes(1);
    host::CollectorParts parts;
    parts.clock = clock_;
    return {host::Roots{tree_.sys(), tree_.proc(), tree_.dev()}, options, parts};
  }

  void strip_root(std::vector<core::ReadIssue>& issues) const {
    const std::string root = tree_.root().string();
    for (core::ReadIssue& issue : issues) {
      if (issue.path.starts_with(root)) issue.path.erase(0, root.size());
    }
  }

  test::SampleTree tree_;
  std::shared_ptr<test::ManualClock> clock_ = std::make_shared<test::ManualClock>();
  host::Collector collector_;
};

core::AgentStatus judged(const HostPointer& now, const HostPointer& before) {
  core::AgentStatus agent;
  agent.version = "0.1.0";
  agent.revision = "golden";
  core::PortHistory history;
  if (before) history.observe(*before);
  history.observe(*now);
  core::Evidence evidence;
  evidence.now = now.get();
  evidence.before = before.get();
  evidence.highest_rates = &history.highest_rates();
  agent.diagnosis = core::diagnose(evidence);
  for (const auto& [port, rate] : history.highest_rates()) {
    core::PortStatus status;
    status.device = port.first;
    status.port = port.second;
    status.expected_bits_per_second = rate;
    agent.ports.push_back(status);
  }
  return agent;
}

void check_reading_back(const HostPointer& now, const core::AgentStatus& agent) {
  const std::string text = render_json(*now, agent, JsonLayout::kCompact);
  const auto parsed = parse_json(text);
  REQUIRE(parsed);
  CHECK(render_json(parsed->host, parsed->agent, JsonLayout::kCompact) == text);
}

TEST_CASE("Outputs of every sample tree") {
  for (const std::string& name : test::sample_tree_names()) {
    INFO(name);
    Host host(name);
    const HostPointer now = host.collect();
    const core::AgentStatus agent = judged(now, nullptr);
    test::check_outputs(name,
                        {.now = *now, .at_start = now.get(), .previous = nullptr, .agent = agent});
    check_reading_back(now, agent);
  }
}

TEST_CASE("Outputs of a congested host, thirty seconds on") {
  Host host("mlx5_roce_200g");
  const HostPointer before = host.collect();
  host.overlay("mlx5_roce_200g_t30s", std::chrono::seconds(30));
  const HostPointer now = host.collect();
  const core::AgentStatus agent = judged(now, before);
  test::check_outputs(
      "mlx5_roce_200g_t30s",
      {.now = *now, .at_start = before.get(), .previous = before.get(), .agent = agent});
}

TEST_CASE("Outputs of a host in which everything has a value") {
  const core::HostSnapshot host = test::full_host();
  const core::AgentStatus agent = test::full_agent();
  test::check_outputs("full", {.now = host, .at_start = &host, .previous = &host, .agent = agent});
  check_reading_back(std::make_shared<const core::HostSnapshot>(host), agent);
}

TEST_CASE("Outputs of an agent that has read nothing yet") {
  test::check_outputs("empty", {.now = {}, .at_start = nullptr, .previous = nullptr, .agent = {}});
}

}  // namespace
}  // namespace rdmadiag::exporters
