// The half of Probing that is about other agents: whom to probe, what they answered, connections.
#include <algorithm>
#include <set>
#include <utility>

#include "agent/daemon/peer_sources.h"
#include "agent/daemon/probing.h"
#include "agent/daemon/rnic_options.h"
#include "probes/control_message.h"

namespace rdmadiag::daemon {

probes::Peer Probing::own_peer() const {
  const std::scoped_lock hold(mutex_);
  return self_peer(parts_.hostname, parts_.addresses, config_);
}

std::vector<probes::KnownAgent> Probing::known_agents() const {
  std::vector<probes::KnownAgent> agents;
  std::map<std::string, probes::AgentRecord> records;
  for (auto& record : directory()->records()) records.emplace(record.peer.id, std::move(record));
  bool self_listed = false;
  const auto peers = discovery()->current();
  for (const probes::Peer& peer : peers->peers) {
    probes::KnownAgent agent{.peer = peer, .endpoints = {}, .is_self = false};
    if (const auto found = records.find(peer.id); found != records.end())
      agent.endpoints = found->second.endpoints;
    const bool same_epoch = agent.endpoints && agent.endpoints->epoch == epoch_;
    agent.is_self = !self_listed && (same_epoch || parts_.addresses.contains(peer.address));
    self_listed |= agent.is_self;
    agents.push_back(std::move(agent));
  }
  if (!self_listed) agents.push_back({.peer = own_peer(), .endpoints = {}, .is_self = true});
  return agents;
}

probes::TargetRates Probing::rates() const {
  const double rnics = static_cast<double>(std::max<std::size_t>(ports_.size(), 1));
  const double most = std::min(kMaxProbeRatePerRnic, kMaxProbeRate / rnics);
  const config::Probes& probes = config_.probes;
  const double wanted = probes.ud.leaf_rate + probes.ud.fabric_rate;
  const double factor = std::min(1.0, most / wanted);
  return {.leaf = probes.ud.leaf_rate * factor,
          .fabric = probes.ud.fabric_rate * factor,
          .loopback = probes.loopback_interval,
          .sibling = probes.sibling_interval,
          .connections = static_cast<std::size_t>(probes.rc.connections)};
}

void Probing::make_plan() {
  probes::TargetPlanInput input;
  input.self = endpoints();
  input.agents = known_agents();
  input.hour = planned_hour_;
  {
    const std::scoped_lock hold(mutex_);
    input.rates = rates();
    input.others = keys_->shared().has_value();
  }
  probes::TargetPlan plan = probes::plan_targets(input);
  planned_for_ = std::move(input.self);
  std::vector<probes::Peer> peers;
  for (const probes::KnownAgent& agent : input.agents) {
    if (!agent.is_self && std::ranges::binary_search(plan.agents, agent.peer.id))
      peers.push_back(agent.peer);
  }
  const auto directory = this->directory();
  directory->set_peers(peers);
  push_targets(plan);
  for (const probes::KnownAgent& agent : input.agents) {
    if (!agent.endpoints && !agent.is_self) directory->look_up(agent.peer.id);
  }
}

void Probing::push_targets(const probes::TargetPlan& plan) {
  const std::scoped_lock hold(mutex_);
  places_.clear();
  for (std::size_t i = 0; i < plan.rnics.size(); ++i) {
    const probes::RnicEndpoint& own = planned_for_.rnics[i];
    const auto port = ports_.find({own.device, own.port});
    if (port == ports_.end()) continue;
    std::vector<probes::ProbeTarget> targets;
    for (const probes::PlannedTarget& planned : plan.rnics[i].targets) {
      if (planned.datagrams && config_.probes.ud.enabled) targets.push_back(planned.target);
      places_[planned.target.peer] = {planned.agent, planned.device, planned.port};
    }
    port->second.rnic->set_targets(std::move(targets));
    std::vector<probes::RcTarget> connections;
    for (const std::size_t index : plan.rnics[i].connections) {
      const probes::ProbeTarget& target = plan.rnics[i].targets[index].target;
      connections.push_back({.peer = target.peer, .hash = target.hash});
    }
    port->second.rnic->set_connections(std::move(connections));
    for (const probes::PlannedTarget& planned : plan.rnics[i].targets) {
      if (planned.endpoint)
        port->second.rnic->set_peer(planned.target.peer, planned.endpoint,
                                    probes::PeerReachability::kAnswers);
    }
  }
  plan_ = std::make_shared<const probes::TargetPlan>(plan);
}

// A failed question changes nothing but what is known of the peer's agent.
void Probing::push_answer(const probes::AgentRecord& answer) {
  if (answer.reachability == probes::PeerReachability::kAnswers) return;  // the plan has it
  const std::scoped_lock hold(mutex_);
  for (const auto& [target, place] : places_) {
    if (place.agent != answer.peer.id) continue;
    for (auto& [key, port] : ports_) port.rnic->set_peer(target, std::nullopt, answer.reachability);
  }
}

void Probing::look_up(const std::vector<std::string>& names) {
  std::set<std::string> agents;
  {
    const std::scoped_lock hold(mutex_);
    for (const std::string& name : names) {
      if (const auto found = places_.find(name); found != places_.end())
        agents.insert(found->second.agent);
    }
  }
  const auto directory = this->directory();
  for (const std::string& agent : agents) {
    if (agent.empty()) {
      planned_for_ = {};  // one of our own: the next plan has its queue pair
    } else {
      directory->look_up(agent);
    }
  }
}

void Probing::connect(const ProbingWork::Connect& connect) {
  TargetPlace place;
  {
    const std::scoped_lock hold(mutex_);
    if (const auto found = places_.find(connect.request.peer); found != places_.end())
      place = found->second;
  }
  // Weak: a reply may come after the port has gone.
  const std::weak_ptr<probes::Rnic> rnic = find_rnic(connect.device, connect.port);
  const auto reply = [rnic, id = connect.request.id](core::Result<std::string> body) {
    const auto alive = rnic.lock();
    if (!alive) return;
    alive->connection_answered(id, body ? probes::decode_rc_parameters(*body)
                                        : core::Result<probes::RcParameters>(
                                              tl::make_unexpected(std::move(body.error()))));
  };
  if (place.device.empty()) return reply(core::fail("its agent has not answered yet"));
  const probes::RcOffer offer{
      .from = probes::nic_name(parts_.hostname, connect.device, connect.port),
      .device = place.device,
      .port = place.port,
      .parameters = connect.request.local};
  directory()->post(place.agent, "/api/v1/rc", probes::encode_rc_offer(offer), reply);
}

std::shared_ptr<probes::Rnic> Probing::find_rnic(const std::string& device,
                                                 std::uint32_t port) const {
  const std::scoped_lock hold(mutex_);
  const auto found = ports_.find({device, port});
  return found == ports_.end() ? nullptr : found->second.rnic;
}

core::Result<probes::RcParameters> Probing::accept(const probes::RcOffer& offer) {
  const auto rnic = find_rnic(offer.device, offer.port);
  if (!rnic) return core::fail("no RDMA port " + offer.device + "/" + std::to_string(offer.port));
  return rnic->accept(offer.from, offer.parameters);
}

}  // namespace rdmadiag::daemon
