#include "agent/daemon/mesh_report.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rdmadiag::daemon {
namespace {

core::AgentState state_of(probes::PeerReachability reachability) {
  switch (reachability) {
    case probes::PeerReachability::kUnknown: return core::AgentState::kUnknown;
    case probes::PeerReachability::kAnswers: return core::AgentState::kAnswers;
    case probes::PeerReachability::kRefused: return core::AgentState::kRefused;
    case probes::PeerReachability::kUnreachable: return core::AgentState::kUnreachable;
  }
  return core::AgentState::kUnknown;
}

void take_endpoints(const probes::AgentEndpoints& endpoints, core::MeshAgent& agent) {
  agent.host = endpoints.host;
  for (const probes::RnicEndpoint& rnic : endpoints.rnics) {
    agent.nics.push_back(probes::nic_name(endpoints.host, rnic.device, rnic.port));
    if (agent.leaf.empty()) agent.leaf = rnic.leaf;
    if (agent.pod.empty()) agent.pod = rnic.pod;
  }
}

core::MeshSource source_of(const probes::SourceState& state) {
  core::MeshSource source;
  source.name = state.name;
  source.ok = state.ok;
  source.problem = state.problem;
  source.peers = state.peers;
  if (state.last_success != core::SystemTime{}) source.last_success = state.last_success;
  return source;
}

}  // namespace

std::vector<core::MeshAgent> mesh_agents(const std::vector<probes::KnownAgent>& known,
                                         const std::vector<probes::AgentRecord>& records,
                                         const probes::AgentEndpoints& self) {
  std::map<std::string, const probes::AgentRecord*> by_id;
  for (const probes::AgentRecord& record : records) by_id.emplace(record.peer.id, &record);
  std::vector<core::MeshAgent> agents;
  for (const probes::KnownAgent& entry : known) {
    core::MeshAgent agent;
    agent.id = entry.peer.id;
    agent.address = entry.peer.address;
    agent.leaf = entry.peer.leaf;
    agent.rail = entry.peer.rail;
    agent.pod = entry.peer.pod;
    agent.is_self = entry.is_self;
    if (entry.is_self) {
      agent.state = core::AgentState::kAnswers;
      take_endpoints(self, agent);
    } else if (const auto found = by_id.find(entry.peer.id); found != by_id.end()) {
      agent.state = state_of(found->second->reachability);
      agent.problem = found->second->problem;
      agent.answered_at = found->second->answered_at;
      if (found->second->endpoints) take_endpoints(*found->second->endpoints, agent);
    }
    agents.push_back(std::move(agent));
  }
  std::ranges::sort(agents, {}, &core::MeshAgent::id);
  return agents;
}

std::vector<probes::PinglistRnic> pinglist_rnics(const probes::TargetPlan& plan,
                                                 const probes::AgentEndpoints& self) {
  std::vector<probes::PinglistRnic> rnics;
  const std::size_t count = std::min(plan.rnics.size(), self.rnics.size());
  for (std::size_t i = 0; i < count; ++i) {
    const probes::RnicPlan& planned = plan.rnics[i];
    probes::PinglistRnic rnic;
    rnic.nic = probes::nic_name(self.host, self.rnics[i].device, self.rnics[i].port);
    for (std::size_t t = 0; t < planned.targets.size(); ++t) {
      const probes::PlannedTarget& target = planned.targets[t];
      const double interval = std::chrono::duration<double>(target.target.interval).count();
      rnic.targets.push_back(
          {.peer = target.target.peer,
           .agent = target.agent,
           .leaf = target.target.leaf,
           .scope = target.target.scope,
           .interval_seconds = interval,
           .datagrams = target.datagrams,
           .connection = std::ranges::find(planned.connections, t) != planned.connections.end(),
           .resolved = target.endpoint.has_value(),
           .reason = target.reason});
    }
    rnics.push_back(std::move(rnic));
  }
  return rnics;
}

core::MeshReport make_mesh_report(const Probing& probing) {
  core::MeshReport report;
  const probes::AgentEndpoints self = probing.endpoints();
  report.host = self.host;
  report.taken_at = probing.now();
  for (const probes::SourceState& state : probing.sources())
    report.sources.push_back(source_of(state));
  report.agents = mesh_agents(probing.known_agents(), probing.agents(), self);
  report.probes = probing.snapshots_with_paths();
  return report;
}

std::vector<probes::PinglistRnic> make_pinglist_report(const Probing& probing) {
  return pinglist_rnics(probing.plan(), probing.endpoints());
}

}  // namespace rdmadiag::daemon
