#include "probes/target_plan.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace rdmadiag::probes {
namespace {

using std::chrono::nanoseconds;

// An RNIC of the cluster, as far as it is known.
struct Known {
  std::size_t agent = 0;               // index into the input's agents
  const RnicEndpoint* rnic = nullptr;  // null before its agent was looked up
};

const std::string& first(const std::string& preferred, const std::string& other) {
  return preferred.empty() ? other : preferred;
}

nanoseconds interval(std::size_t targets, double rate) {
  const double seconds = static_cast<double>(std::max<std::size_t>(targets, 1)) / rate;
  return nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// "node1/0": the agent and the rail; where a rail has several, or is not known, the place.
std::string member_id(const std::string& agent, const std::string& rail, std::size_t place,
                      std::set<std::string>& taken) {
  std::string id = agent + "/" + (rail.empty() ? std::to_string(place) : rail);
  if (!taken.insert(id).second) {
    id += "/" + std::to_string(place);
    taken.insert(id);
  }
  return id;
}

class Planner {
 public:
  explicit Planner(const TargetPlanInput& input) : input_(input) {
    for (std::size_t i = 0; i < input.agents.size(); ++i) add_agent(i);
    membership_ = Membership(std::move(members_));
  }

  TargetPlan plan() {
    TargetPlan plan;
    for (std::size_t i = 0; i < input_.self.rnics.size(); ++i) {
      RnicPlan rnic;
      add_own(i, rnic);
      add_others(i, rnic, plan.agents);
      choose_connections(rnic);
      plan.rnics.push_back(std::move(rnic));
    }
    std::ranges::sort(plan.agents);
    plan.agents.erase(std::unique(plan.agents.begin(), plan.agents.end()), plan.agents.end());
    return plan;
  }

 private:
  // The entry of discovery that is ourselves speaks of the same RNICs as all others think.
  void add_agent(std::size_t index) {
    const KnownAgent& agent = input_.agents[index];
    const AgentEndpoints* known = agent.is_self     ? &input_.self
                                  : agent.endpoints ? &*agent.endpoints
                                                    : nullptr;
    std::set<std::string> taken;
    const std::size_t count = known != nullptr           ? known->rnics.size()
                              : !agent.peer.rail.empty() ? 1
                                                         : input_.self.rnics.size();
    for (std::size_t place = 0; place < count; ++place) {
      const RnicEndpoint* rnic = known != nullptr ? &known->rnics[place] : nullptr;
      const RnicEndpoint& like = rnic != nullptr ? *rnic : input_.self.rnics[place];
      Member member;
      member.host = agent.peer.id;
      member.rail = first(agent.peer.rail, like.rail);
      member.leaf = rnic != nullptr ? first(agent.peer.leaf, rnic->leaf) : agent.peer.leaf;
      member.pod = rnic != nullptr ? first(agent.peer.pod, rnic->pod) : agent.peer.pod;
      member.id = member_id(agent.peer.id, member.rail, place, taken);
      known_.emplace(member.id, Known{index, rnic});
      members_.push_back(std::move(member));
    }
  }

  // This host's own RNICs: the loop through the NIC and, where it has several, each other.
  void add_own(std::size_t self, RnicPlan& plan) const {
    const AgentEndpoints& host = input_.self;
    const std::string own = nic_name(host.host, host.rnics[self].device, host.rnics[self].port);
    for (std::size_t i = 0; i < host.rnics.size(); ++i) {
      const RnicEndpoint& rnic = host.rnics[i];
      const bool loopback = i == self;
      if (rnic.protocol != host.rnics[self].protocol) continue;
      if (rnic.protocol == core::Protocol::kIwarp) continue;  // it has no datagrams
      PlannedTarget planned;
      planned.device = rnic.device;
      planned.port = rnic.port;
      planned.target = {
          .peer = nic_name(host.host, rnic.device, rnic.port),
          .leaf = rnic.leaf,
          .scope = loopback ? core::ProbeScope::kLoopback : core::ProbeScope::kSibling,
          .interval = loopback ? input_.rates.loopback : input_.rates.sibling,
          .hash = 0,
          .own_host = true};
      planned.target.hash = pair_hash(own, planned.target.peer);
      planned.reason = loopback ? "through this NIC and back" : "of this host";
      if (rnic.qpn != 0) planned.endpoint = rnic.target(host.epoch);
      plan.targets.push_back(std::move(planned));
    }
  }

  void add_others(std::size_t self, RnicPlan& plan, std::vector<std::string>& agents) const {
    if (!input_.others) return;
    const auto own = own_member(self);
    if (!own) return;
    const std::size_t before = plan.targets.size();
    std::size_t leaf = 0;
    for (const PinglistEntry& entry : make_pinglist(membership_, *own, input_.hour)) {
      PlannedTarget target = planned(*own, entry);
      agents.push_back(target.agent);
      // A mixed fabric: probes go between ports of one kind only.
      if (target.protocol && target.protocol != input_.self.rnics[self].protocol) continue;
      target.datagrams = input_.self.rnics[self].protocol != core::Protocol::kIwarp;
      if (entry.scope == core::ProbeScope::kLeaf) ++leaf;
      plan.targets.push_back(std::move(target));
    }
    const std::size_t fabric = plan.targets.size() - before - leaf;
    for (std::size_t i = before; i < plan.targets.size(); ++i) {
      ProbeTarget& target = plan.targets[i].target;
      target.interval = target.scope == core::ProbeScope::kLeaf
                            ? interval(leaf, input_.rates.leaf)
                            : interval(fabric, input_.rates.fabric);
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> own_member(std::size_t self) const {
    const RnicEndpoint* rnic = &input_.self.rnics[self];
    for (std::uint32_t i = 0; i < membership_.size(); ++i) {
      const Known& known = known_.at(membership_.at(i).id);
      if (input_.agents[known.agent].is_self && known.rnic == rnic) return i;
    }
    return std::nullopt;
  }

  [[nodiscard]] PlannedTarget planned(std::uint32_t own, const PinglistEntry& entry) const {
    const Member& member = membership_.at(entry.member);
    const Known& known = known_.at(member.id);
    const KnownAgent& agent = input_.agents[known.agent];
    PlannedTarget planned;
    planned.agent = agent.peer.id;
    planned.reason = explain(entry, membership_);
    planned.target = {.peer = member.id,
                      .leaf = member.leaf,
                      .scope = entry.scope,
                      .interval = {},
                      .hash = pair_hash(membership_.at(own).id, member.id),
                      .own_host = false};
    if (known.rnic == nullptr) return planned;
    const RnicEndpoint& rnic = *known.rnic;
    planned.device = rnic.device;
    planned.port = rnic.port;
    planned.target.peer = nic_name(agent.endpoints->host, rnic.device, rnic.port);
    if (rnic.protocol != core::Protocol::kUnknown) planned.protocol = rnic.protocol;
    if (rnic.qpn != 0) planned.endpoint = rnic.target(agent.endpoints->epoch);
    return planned;
  }

  // Of the leaf and of the fabric in turn, since they go over different links.
  void choose_connections(RnicPlan& plan) const {
    std::vector<std::size_t> leaf;
    std::vector<std::size_t> fabric;
    for (std::size_t i = 0; i < plan.targets.size(); ++i) {
      const core::ProbeScope scope = plan.targets[i].target.scope;
      if (scope == core::ProbeScope::kLeaf) leaf.push_back(i);
      if (scope == core::ProbeScope::kFabric) fabric.push_back(i);
    }
    for (std::size_t turn = 0; turn < std::max(leaf.size(), fabric.size()); ++turn) {
      for (const auto* list : {&leaf, &fabric}) {
        if (turn < list->size() && plan.connections.size() < input_.rates.connections)
          plan.connections.push_back((*list)[turn]);
      }
    }
  }

  const TargetPlanInput& input_;
  std::vector<Member> members_;
  Membership membership_;
  std::map<std::string, Known> known_;  // by member id
};

}  // namespace

TargetPlan plan_targets(const TargetPlanInput& input) { return Planner(input).plan(); }

}  // namespace rdmadiag::probes
