#include "agent/daemon/probing.h"

#include <algorithm>
#include <set>

#include "agent/core/log.h"
#include "agent/daemon/peer_sources.h"
#include "agent/daemon/rnic_options.h"

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 1s;
constexpr auto kLookEvery = 5s;
constexpr auto kGovernEvery = 10s;
constexpr int kMissedLooks = 3;  // then a device's probing ends

probes::Peer self_peer(const ProbingParts& parts, const config::Config& config) {
  return {.id = parts.hostname,
          .address = parts.addresses.advertised(),
          .leaf = host_label(config, "leaf"),
          .rail = host_label(config, "rail"),
          .pod = host_label(config, "pod")};
}

}  // namespace

Probing::Probing(ProbingParts parts, const config::Config& config)
    : parts_(std::move(parts)),
      epoch_(probes::make_epoch(parts_.random)),
      local_key_(probes::make_local_key()),
      governor_(config.probes.cpu_share),
      config_(config),
      keys_(std::make_shared<const probes::KeyRing>(local_key_)),
      plan_(std::make_shared<const probes::TargetPlan>()) {
  for (const std::string& problem : set_keys(config.probes))
    core::log_error("probing without a shared key", {{"problem", problem}});
  set_discovery(config);
  thread_ = std::thread([this] { run(); });
}

Probing::~Probing() {
  events_->add([](ProbingWork& work) { work.stop = true; });
  thread_.join();
}

std::vector<std::string> Probing::set_keys(const config::Probes& config) {
  probes::KeyRing keys(local_key_);
  std::vector<std::string> problems;
  if (!config.key_file.empty()) {
    auto shared = probes::read_key_file(config.key_file);
    if (!shared) return {shared.error().message()};
    keys.set_shared(*shared);
  } else if (config.insecure) {
    keys.set_shared({probes::insecure_key()});
  }
  auto fresh = std::make_shared<const probes::KeyRing>(std::move(keys));
  const std::scoped_lock hold(mutex_);
  keys_ = fresh;
  for (auto& [key, port] : ports_) port.rnic->set_keys(fresh);
  return problems;
}

void Probing::set_discovery(const config::Config& config) {
  const auto events = events_;
  auto directory = std::make_shared<probes::Directory>(
      probes::DirectoryOptions{.tls = client_tls(config.peers.tls)}, *parts_.clock, parts_.random,
      [events](const probes::AgentRecord& answer) {
        events->add([&](ProbingWork& work) { work.answers.push_back(answer); });
      });
  auto sources = make_peer_sources(config.peers, self_peer(parts_, config));
  const bool keyed = !config.probes.key_file.empty() || config.probes.insecure;
  if (!sources.empty() && !keyed) {
    core::log_error("peers are not probed",
                    {{"problem", "no probes.key_file, and probes.insecure is not set"}});
  }
  auto discovery = std::make_shared<probes::Discovery>(
      std::move(sources), *parts_.clock, [events](const std::shared_ptr<const probes::PeerSet>&) {
        events->add([](ProbingWork& work) { work.plan = true; });
      });
  {
    const std::scoped_lock hold(mutex_);
    directory_.swap(directory);
    discovery_.swap(discovery);
  }
  // The old ones end here, outside of the lock.
}

std::shared_ptr<probes::Directory> Probing::directory() const {
  const std::scoped_lock hold(mutex_);
  return directory_;
}

std::shared_ptr<probes::Discovery> Probing::discovery() const {
  const std::scoped_lock hold(mutex_);
  return discovery_;
}

std::vector<std::string> Probing::apply(const config::Config& config) {
  auto problems = set_keys(config.probes);
  if (!problems.empty()) return problems;
  bool rediscover = false;
  std::map<PortKey, Port> ended;
  {
    const std::scoped_lock hold(mutex_);
    rediscover = config.peers != config_.peers || config.labels != config_.labels;
    const bool anew = config.probes != config_.probes || config.labels != config_.labels ||
                      config.rails != config_.rails;
    config_ = config;
    if (anew) ended.swap(ports_);  // made again by the next look, with what is new
  }
  events_->add([&](ProbingWork& work) {
    work.look = true;
    work.plan = true;
    work.rediscover |= rediscover;
  });
  return {};
}

void Probing::devices_changed() {
  events_->add([](ProbingWork& work) { work.look = true; });
}

void Probing::run() {
  for (ProbingWork work = events_->take(kTick); !work.stop; work = events_->take(kTick)) act(work);
}

void Probing::act(const ProbingWork& work) {
  if (work.rediscover) {
    config::Config config;
    {
      const std::scoped_lock hold(mutex_);
      config = config_;
    }
    set_discovery(config);
  }
  const core::SteadyTime now = parts_.clock->steady();
  if (work.look || now >= next_look_) {
    look();
    next_look_ = parts_.clock->steady() + kLookEvery;
  }
  if (now >= next_govern_) {
    govern();
    next_govern_ = now + kGovernEvery;
  }
  look_up(work.lookups);
  const std::int64_t hour =
      std::chrono::floor<std::chrono::hours>(parts_.clock->system()).time_since_epoch().count();
  const bool changed = work.plan || !work.answers.empty() || hour != planned_hour_;
  if (changed || endpoints() != planned_for_) {
    planned_hour_ = hour;
    make_plan();
  }
  for (const probes::AgentRecord& answer : work.answers) push_answer(answer);
  for (const ProbingWork::Connect& request : work.connects) connect(request);
}

void Probing::look() {
  const auto host = parts_.observe();
  std::set<PortKey> there;
  std::map<PortKey, Port> ended;  // after the lock
  const std::scoped_lock hold(mutex_);
  // With both kinds off nothing of verbs is opened at all.
  const bool enabled = config_.probes.ud.enabled || config_.probes.rc.enabled;
  for (const core::DeviceEntry& entry : host->devices) {
    if (!enabled || !entry.snapshot || !entry.present) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      const PortKey key{entry.name, port.number};
      there.insert(key);
      const auto known = ports_.find(key);
      if (known != ports_.end()) {
        const std::string& guid = known->second.rnic->options().device.node_guid;
        if (guid == entry.snapshot->node_guid) continue;
        ended.insert(ports_.extract(known));  // another device under an old name
      }
      if (ports_.size() < probes::kMaxRnics) add_rnic(*entry.snapshot, port);
    }
    // A stuck device is there: it must not be taken for gone.
    if (entry.stuck) {
      for (const std::uint32_t port : entry.known_ports) there.insert({entry.name, port});
    }
  }
  has_looked_ = true;
  for (auto next = ports_.begin(); next != ports_.end();) {
    const auto current = next++;
    Port& port = current->second;
    port.missed = there.contains(current->first) ? 0 : port.missed + 1;
    if (port.missed >= kMissedLooks) ended.insert(ports_.extract(current));
  }
}

void Probing::add_rnic(const core::DeviceSnapshot& device, const core::PortSnapshot& port) {
  probes::ProberUser::Wishes wishes;
  wishes.look_up = [events = events_](const std::vector<std::string>& names) {
    events->add([&](ProbingWork& work) {
      work.lookups.insert(work.lookups.end(), names.begin(), names.end());
    });
  };
  wishes.connect = [events = events_, name = device.name,
                    number = port.number](const std::vector<probes::RcRequest>& requests) {
    events->add([&](ProbingWork& work) {
      for (const probes::RcRequest& request : requests)
        work.connects.push_back({name, number, request});
    });
  };
  auto rnic = std::make_shared<probes::Rnic>(
      make_rnic_options(config_, parts_.hostname, epoch_, device, port.number), keys_,
      parts_.random, parts_.clock, std::move(wishes));
  ports_[{device.name, port.number}] = {.rnic = std::move(rnic)};
}

std::vector<core::ProbeSnapshot> Probing::snapshots() const {
  const std::scoped_lock hold(mutex_);
  std::vector<core::ProbeSnapshot> snapshots;
  for (const auto& [key, port] : ports_) snapshots.push_back(port.rnic->snapshot());
  return snapshots;
}

bool Probing::has_looked() const {
  const std::scoped_lock hold(mutex_);
  return has_looked_;
}

probes::AgentEndpoints Probing::endpoints() const {
  const std::scoped_lock hold(mutex_);
  probes::AgentEndpoints agent{.host = parts_.hostname, .epoch = epoch_, .rnics = {}};
  for (const auto& [key, port] : ports_) agent.rnics.push_back(port.rnic->endpoint());
  return agent;
}

std::vector<probes::AgentRecord> Probing::agents() const { return directory()->records(); }

std::vector<probes::SourceState> Probing::sources() const {
  return discovery()->current()->sources;
}

probes::TargetPlan Probing::plan() const {
  const std::scoped_lock hold(mutex_);
  return *plan_;
}

probes::Peer Probing::own_peer() const {
  const std::scoped_lock hold(mutex_);
  return self_peer(parts_, config_);
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

void Probing::govern() {
  const double before = governor_.factor();
  const double factor = governor_.update(parts_.cpu_time(), parts_.clock->steady());
  if (factor == before) return;
  core::log_warn("probe rate changed to spare the CPU", {{"factor", std::to_string(factor)}});
  const std::scoped_lock hold(mutex_);
  for (auto& [key, port] : ports_) port.rnic->set_rate_factor(factor);
}

}  // namespace rdmadiag::daemon
