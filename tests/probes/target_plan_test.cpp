// Whom each RNIC probes: what every agent must come to by itself.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "agent/core/gid.h"
#include "probes/target_plan.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using core::ProbeScope;

namespace {

RnicEndpoint rnic(const std::string& device, std::uint32_t qpn, const std::string& rail = {},
                  const std::string& leaf = {}) {
  RnicEndpoint endpoint;
  endpoint.device = device;
  endpoint.protocol = core::Protocol::kRoce;
  endpoint.gid = core::parse_gid("::ffff:10.0.0.1").value();
  endpoint.qpn = qpn;
  endpoint.rail = rail;
  endpoint.leaf = leaf;
  return endpoint;
}

KnownAgent agent(const std::string& id, std::vector<RnicEndpoint> rnics, bool self = false,
                 const std::string& leaf = {}) {
  KnownAgent known;
  known.peer = {.id = id, .address = id + ":10915", .leaf = leaf};
  known.is_self = self;
  if (!rnics.empty() && !self)
    known.endpoints = AgentEndpoints{.host = id, .epoch = 7, .rnics = std::move(rnics)};
  return known;
}

TargetPlanInput two_rnics() {
  TargetPlanInput input;
  input.self = {.host = "a", .epoch = 1, .rnics = {rnic("m0", 10, "0"), rnic("m1", 11, "1")}};
  input.agents.push_back(agent("a", {}, true));
  return input;
}

std::map<std::string, ProbeScope> scopes(const RnicPlan& plan) {
  std::map<std::string, ProbeScope> found;
  for (const PlannedTarget& planned : plan.targets)
    found[planned.target.peer] = planned.target.scope;
  return found;
}

const PlannedTarget& target(const RnicPlan& plan, const std::string& peer) {
  return *std::ranges::find_if(
      plan.targets, [&](const PlannedTarget& planned) { return planned.target.peer == peer; });
}

}  // namespace

TEST_CASE("without any peer: loopback and siblings") {
  const TargetPlan plan = plan_targets(two_rnics());
  REQUIRE(plan.rnics.size() == 2);
  CHECK(plan.agents.empty());
  CHECK(scopes(plan.rnics[0]) == std::map<std::string, ProbeScope>{{"a/m0", ProbeScope::kLoopback},
                                                                   {"a/m1", ProbeScope::kSibling}});
  const PlannedTarget& loop = target(plan.rnics[0], "a/m0");
  CHECK(loop.target.own_host);
  CHECK(loop.target.interval == 10s);
  CHECK(loop.endpoint->address.qpn == 10);
  CHECK(loop.endpoint->epoch == 1);
  CHECK(target(plan.rnics[0], "a/m1").target.interval == 1s);
  CHECK(plan.rnics[0].connections.empty());
}

TEST_CASE("no shared key: peers are not even looked up") {
  TargetPlanInput input = two_rnics();
  input.agents.push_back(agent("b", {}));
  input.others = false;
  const TargetPlan plan = plan_targets(input);
  CHECK(plan.agents.empty());
  CHECK(plan.rnics[0].targets.size() == 2);
}

TEST_CASE("an agent that was not asked yet counts with as many RNICs as we have") {
  TargetPlanInput input = two_rnics();
  input.agents.push_back(agent("b", {}));
  const TargetPlan plan = plan_targets(input);
  CHECK(plan.agents == std::vector<std::string>{"b"});
  const auto targets = scopes(plan.rnics[0]);
  CHECK(targets.contains("b/0"));
  CHECK(targets.contains("b/1"));
  CHECK_FALSE(target(plan.rnics[0], "b/0").endpoint);
}

TEST_CASE("once it answered it has its own names, and its phase and place stay") {
  TargetPlanInput before = two_rnics();
  before.agents.push_back(agent("b", {}));
  TargetPlanInput after = two_rnics();
  after.agents.push_back(agent("b", {rnic("x0", 20, "0"), rnic("x1", 21, "1")}));
  const RnicPlan unknown = plan_targets(before).rnics[0];
  const RnicPlan known = plan_targets(after).rnics[0];
  const PlannedTarget& peer = target(known, "b/x0");
  CHECK(peer.target.hash == target(unknown, "b/0").target.hash);
  CHECK(peer.target.interval == target(unknown, "b/0").target.interval);
  CHECK(peer.endpoint->address.qpn == 20);
  CHECK(peer.endpoint->epoch == 7);
  CHECK_FALSE(peer.target.own_host);
}

TEST_CASE("the configured rate is shared by the targets of a scope") {
  TargetPlanInput input = two_rnics();
  input.self.rnics.pop_back();
  for (const char* id : {"b", "c", "d", "e"}) input.agents.push_back(agent(id, {rnic("m0", 30)}));
  input.rates.leaf = 10;
  const RnicPlan plan = plan_targets(input).rnics[0];
  CHECK(target(plan, "c/m0").target.interval == 400ms);
  CHECK(target(plan, "c/m0").target.scope == ProbeScope::kLeaf);
}

TEST_CASE("leaves: discovery's label before the agent's own, fabric targets at their own rate") {
  TargetPlanInput input = two_rnics();
  input.self.rnics = {rnic("m0", 10, "0", "l1")};
  input.agents.push_back(agent("b", {rnic("m0", 20, "0", "l1")}));
  input.agents.push_back(agent("c", {rnic("m0", 21, "0", "l1")}, false, "l2"));
  input.rates.fabric = 5;
  const RnicPlan plan = plan_targets(input).rnics[0];
  CHECK(target(plan, "b/m0").target.scope == ProbeScope::kLeaf);
  CHECK(target(plan, "c/m0").target.scope == ProbeScope::kFabric);
  CHECK(target(plan, "c/m0").target.leaf == "l2");
  CHECK(target(plan, "c/m0").target.interval == 200ms);
}

TEST_CASE("a mixed fabric: each kind has its own, iWARP connections only") {
  RnicEndpoint iwarp = rnic("siw0", 0);
  iwarp.protocol = core::Protocol::kIwarp;
  TargetPlanInput input;
  input.self = {.host = "a", .epoch = 1, .rnics = {rnic("m0", 10), iwarp}};
  input.agents.push_back(agent("a", {}, true));
  input.agents.push_back(agent("b", {rnic("m0", 20), iwarp}));
  const TargetPlan plan = plan_targets(input);
  CHECK(scopes(plan.rnics[0]) == std::map<std::string, ProbeScope>{{"a/m0", ProbeScope::kLoopback},
                                                                   {"b/m0", ProbeScope::kLeaf}});
  REQUIRE(scopes(plan.rnics[1]) ==
          std::map<std::string, ProbeScope>{{"b/siw0", ProbeScope::kLeaf}});
  CHECK_FALSE(plan.rnics[1].targets[0].datagrams);
  CHECK(plan.rnics[1].connections == std::vector<std::size_t>{0});
}

TEST_CASE("connections: eight, of the leaf and of the fabric in turn") {
  TargetPlanInput input = two_rnics();
  input.self.rnics = {rnic("m0", 10, "0", "l1")};
  for (int i = 0; i < 10; ++i) {
    input.agents.push_back(agent("near" + std::to_string(i), {rnic("m0", 20, "0", "l1")}));
    input.agents.push_back(agent("far" + std::to_string(i), {rnic("m0", 20, "0", "l2")}));
  }
  const RnicPlan plan = plan_targets(input).rnics[0];
  REQUIRE(plan.connections.size() == 8);
  std::map<ProbeScope, int> counts;
  std::set<std::size_t> once;
  for (const std::size_t index : plan.connections) {
    ++counts[plan.targets.at(index).target.scope];
    once.insert(index);
  }
  CHECK(once.size() == 8);
  CHECK(counts[ProbeScope::kFabric] == 2);  // two in each other leaf
  CHECK(counts[ProbeScope::kLeaf] == 6);
}

TEST_CASE("every agent is probed by as many as it probes, whoever has asked whom") {
  std::map<std::string, int> probed;
  for (int self = 0; self < 6; ++self) {
    TargetPlanInput input;
    for (int i = 0; i < 6; ++i) {
      const std::string id = "h" + std::to_string(i);
      if (i == self) input.self = {.host = id, .epoch = 1, .rnics = {rnic("m0", 10)}};
      // Each knows others only.
      const bool asked = (i + self) % 2 == 0;
      input.agents.push_back(
          agent(id, asked ? std::vector{rnic("m0", 10)} : std::vector<RnicEndpoint>{}, i == self));
    }
    for (const std::string& id : plan_targets(input).agents) ++probed[id];
  }
  for (const auto& [id, count] : probed) CHECK(count == 5);
  CHECK(probed.size() == 6);
}
