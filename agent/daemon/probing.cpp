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
// A look reads every counter of the host. The watch says when devices come and go; looks without
// word from it are for what did not answer, or is not gone for certain yet.
constexpr auto kLookEvery = 30s;
constexpr auto kLookAgain = 5s;
constexpr auto kGovernEvery = 10s;
constexpr int kMissedLooks = 3;  // then a device's probing ends

}  // namespace

Probing::Probing(ProbingParts parts, const config::Config& config)
    : parts_(std::move(parts)),
      epoch_(probes::make_epoch(parts_.random)),
      local_key_(probes::make_local_key()),
      governor_(config.probes.cpu_share),
      config_(config),
      keys_(std::make_shared<const probes::KeyRing>(local_key_)),
      plan_(std::make_shared<const probes::TargetPlan>()) {
  if (const auto keys = set_keys(config.probes); !keys)
    core::log_error("probing without a shared key", {{"problem", keys.error().message()}});
  set_discovery(config);
  thread_ = std::thread([this] { run(); });
}

Probing::~Probing() {
  events_->add([](ProbingWork& work) { work.stop = true; });
  thread_.join();
}

core::Status Probing::set_keys(const config::Probes& config) {
  probes::KeyRing keys(local_key_);
  if (!config.key_file.empty()) {
    auto shared = probes::read_key_file(config.key_file);
    if (!shared) return tl::make_unexpected(shared.error());
    keys.set_shared(*shared);
  } else if (config.insecure) {
    keys.set_shared({probes::insecure_key()});
  }
  auto fresh = std::make_shared<const probes::KeyRing>(std::move(keys));
  const std::scoped_lock hold(mutex_);
  keys_ = fresh;
  for (auto& [key, port] : ports_) port.rnic->set_keys(fresh);
  return {};
}

void Probing::set_discovery(const config::Config& config) {
  const auto events = events_;
  auto directory = std::make_shared<probes::Directory>(
      probes::DirectoryOptions{.tls = client_tls(config.peers.tls)}, *parts_.clock, parts_.random,
      [events](const probes::AgentRecord& answer) {
        events->add([&](ProbingWork& work) { work.answers.push_back(answer); });
      });
  auto sources =
      make_peer_sources(config.peers, self_peer(parts_.hostname, parts_.addresses, config));
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

core::Status Probing::apply(const config::Config& config) {
  if (auto keys = set_keys(config.probes); !keys) return keys;
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
    const bool settled = look();
    next_look_ = parts_.clock->steady() + (settled ? kLookEvery : kLookAgain);
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

bool Probing::look() {
  const auto host = parts_.observe();
  std::set<PortKey> there;
  std::map<PortKey, Port> ended;  // after the lock
  const std::scoped_lock hold(mutex_);
  // With both kinds off nothing of verbs is opened at all.
  bool settled = true;
  const bool enabled = config_.probes.ud.enabled || config_.probes.rc.enabled;
  for (const core::DeviceEntry& entry : host->devices) {
    if (!enabled || !entry.present) continue;
    settled &= entry.snapshot != nullptr;
    // A device that does not answer is there: it must not be taken for gone.
    if (!entry.snapshot) {
      for (const std::uint32_t port : entry.known_ports) there.insert({entry.name, port});
      continue;
    }
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
  }
  has_looked_ = true;
  for (auto next = ports_.begin(); next != ports_.end();) {
    const auto current = next++;
    Port& port = current->second;
    port.missed = there.contains(current->first) ? 0 : port.missed + 1;
    settled &= port.missed == 0;
    if (port.missed >= kMissedLooks) ended.insert(ports_.extract(current));
  }
  return settled;
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
  if (parts_.on_port_change) {
    wishes.on_port_change = [tell = parts_.on_port_change, name = device.name,
                             number = port.number](probes::PortChange change) {
      tell(name, number, change == probes::PortChange::kUp);
    };
  }
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

std::vector<core::ProbeSnapshot> Probing::snapshots_with_paths() const {
  const std::scoped_lock hold(mutex_);
  std::vector<core::ProbeSnapshot> snapshots;
  for (const auto& [key, port] : ports_) snapshots.push_back(port.rnic->snapshot_with_paths());
  return snapshots;
}

core::PairHistory Probing::history(const std::string& device, std::uint32_t port,
                                   std::string_view peer) const {
  const std::scoped_lock hold(mutex_);
  const auto found = ports_.find({device, port});
  return found == ports_.end() ? core::PairHistory() : found->second.rnic->history(peer);
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

void Probing::govern() {
  const double before = governor_.factor();
  const double factor = governor_.update(parts_.cpu_time(), parts_.clock->steady());
  if (factor == before) return;
  core::log_warn("probe rate changed to spare the CPU", {{"factor", std::to_string(factor)}});
  const std::scoped_lock hold(mutex_);
  for (auto& [key, port] : ports_) port.rnic->set_rate_factor(factor);
}

}  // namespace rdmadiag::daemon
