#include "tests/support/sim_fabric.h"

#include <algorithm>

#include "probes/pinglist.h"

namespace rdmadiag::test {
namespace {

using namespace std::chrono_literals;
using probes::DeviceClock;

// A device clock that runs at 500 MHz from a start of its own, to show that only differences count.
constexpr DeviceClock kDeviceClock{.mask = 0xffffffffff, .kilohertz = 500'000};

core::Gid gid_of(std::size_t node) {
  core::Gid gid{};
  gid[10] = gid[11] = 0xff;
  gid[12] = 10;
  gid[14] = static_cast<std::uint8_t>(node >> 8);
  gid[15] = static_cast<std::uint8_t>(node);
  return gid;
}

std::size_t node_of(const core::Gid& gid) { return std::size_t{gid[14]} << 8 | gid[15]; }

std::shared_ptr<const probes::KeyRing> shared_keys() {
  probes::KeyRing ring(probes::ProbeKey{.id = probes::kLocalKeyId, .secret = {1}});
  ring.set_shared({probes::ProbeKey{.id = 5, .secret = {7, 7, 7}}});
  return std::make_shared<const probes::KeyRing>(ring);
}

}  // namespace

SimTransport::SimTransport(SimFabric& fabric, std::uint32_t node, std::size_t pairs,
                           std::uint32_t first_qpn, std::uint32_t qkey)
    : fabric_(fabric),
      node_(node),
      pairs_(pairs),
      first_qpn_(first_qpn),
      qkey_(qkey),
      gid_(gid_of(node)) {}

DeviceClock SimTransport::device_clock() const {
  return fabric_.node(node_).hardware_time ? kDeviceClock : DeviceClock{};
}

void SimTransport::prepare(const probes::UdAddress& to, std::uint32_t label, std::uint8_t) {
  if (addresses_.emplace(to.gid, label).second) fabric_.clock_.advance(fabric_.address_time);
}

probes::Posted SimTransport::send(std::size_t qp, const probes::UdSend& send) {
  if (refuse != probes::Posted::kYes) return refuse;
  fabric_.transmit(node_, qp, send, *this);
  return probes::Posted::kYes;
}

probes::PeerEndpoint SimNode::endpoint() const {
  return {.address = {.gid = responding->gid(),
                      .lid = 0,
                      .qpn = responding->qpn(0),
                      .qkey = probes::qkey_of_epoch(epoch)},
          .epoch = epoch};
}

core::ProbeSnapshot SimNode::snapshot() const {
  core::ProbeSnapshot snapshot;
  prober->fill(snapshot);
  prober->fill_paths(snapshot);
  snapshot.responder = responder->counts();
  return snapshot;
}

SimFabric::SimFabric(std::size_t nodes, std::uint32_t seed, std::size_t queue_pairs,
                     bool hardware_time)
    : random_(seed), queue_pairs_(queue_pairs) {
  for (std::size_t i = 0; i < nodes; ++i) {
    nodes_.push_back(std::make_unique<SimNode>());
    nodes_[i]->hardware_time = hardware_time;
    start(i, true);
  }
}

void SimFabric::start(std::size_t index, bool same_qpns) {
  SimNode& node = *nodes_[index];
  const std::uint32_t shift = same_qpns ? 0 : 0x100;
  const std::uint32_t probing = (node.probing ? node.probing->qpn(0) : 0x10) + shift;
  const std::uint32_t responding = (node.responding ? node.responding->qpn(0) : 0x80) + shift;
  node.epoch = probes::make_epoch([this] { return static_cast<std::uint32_t>(random_()); });
  const std::uint32_t qkey = probes::qkey_of_epoch(node.epoch);
  const auto number = static_cast<std::uint32_t>(index);
  node.probing = std::make_unique<SimTransport>(*this, number, queue_pairs_, probing, qkey);
  node.responding = std::make_unique<SimTransport>(*this, number, 1, responding, qkey);
  node.prober = std::make_unique<probes::Prober>(
      probes::ProberOptions{.epoch = node.epoch, .limits = {}, .traffic_class = 26 << 2 | 2},
      shared_keys(), [this] { return static_cast<std::uint32_t>(random_()); }, clock_);
  node.responder = std::make_unique<probes::Responder>(node.epoch, shared_keys(),
                                                       probes::SessionLimits{}, clock_);
  node.prober->attach(node.probing.get());
  node.responder->attach(node.responding.get());
  node.alive = true;
}

void SimFabric::restart(std::size_t node, bool same_qpns) { start(node, same_qpns); }

void SimFabric::probe(std::size_t from, const std::vector<std::size_t>& to,
                      std::chrono::nanoseconds interval) {
  std::vector<probes::ProbeTarget> targets;
  for (const std::size_t peer : to) {
    targets.push_back({.peer = name(peer),
                       .leaf = "leaf",
                       .interval = interval,
                       .hash = probes::pair_hash(name(from), name(peer))});
  }
  nodes_[from]->prober->set_targets(targets);
  static_cast<void>(nodes_[from]->prober->take_lookups());
  for (const std::size_t peer : to) {
    nodes_[from]->prober->set_peer(name(peer), nodes_[peer]->endpoint(),
                                   probes::PeerReachability::kAnswers);
  }
}

void SimFabric::probe_all(std::chrono::nanoseconds interval) {
  for (std::size_t from = 0; from < size(); ++from) {
    std::vector<std::size_t> others;
    for (std::size_t to = 0; to < size(); ++to) {
      if (to != from) others.push_back(to);
    }
    probe(from, others, interval);
  }
}

void SimFabric::at(core::SteadyTime when, std::function<void()> run) {
  events_.push({when, next_order_++, std::move(run)});
}

bool SimFabric::chance(double probability) {
  return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

probes::Tick SimFabric::tick(const SimNode& node, core::SteadyTime when) const {
  probes::Tick tick{.host = clock_.steady(), .device = {}};
  if (!node.hardware_time) return tick;
  const auto nanoseconds = static_cast<std::uint64_t>(when.time_since_epoch().count());
  tick.device = (nanoseconds / 2 + node.epoch) & kDeviceClock.mask;
  return tick;
}

void SimFabric::when_awake(std::size_t node, std::function<void(SimNode&)> run) {
  SimNode& target = *nodes_[node];
  if (!target.alive) return;
  if (clock_.steady() < target.stalled_until) {
    at(target.stalled_until, [this, node, run = std::move(run)] { when_awake(node, run); });
    return;
  }
  run(target);
}

void SimFabric::transmit(std::uint32_t from, std::size_t qp, const probes::UdSend& send,
                         SimTransport& transport) {
  const core::SteadyTime posted = clock_.steady();
  const core::SteadyTime completed = posted + 1us;
  at(completed, [this, from, id = send.id, completed, sender = &transport] {
    when_awake(from, [&](SimNode& node) {
      const probes::Tick stamp = tick(node, completed);
      if (sender == node.probing.get()) node.prober->sent(id, true, stamp);
      if (sender == node.responding.get()) node.responder->sent(id, true, stamp);
    });
  });
  const std::size_t to = node_of(send.to.gid);
  if (to >= nodes_.size()) return;
  const SimPath& path = paths_[{from, to}];
  const bool may_lose = path.lost_label == 0 || path.lost_label == send.label;
  const int copies = may_lose && chance(path.loss) ? 0 : chance(path.duplicate) ? 2 : 1;
  std::vector<std::byte> bytes(send.payload.begin(), send.payload.end());
  probes::UdArrival arrival;
  arrival.header = {.is_ipv4 = true,
                    .traffic_class = static_cast<std::uint8_t>(
                        path.traffic_class.value_or(send.traffic_class) | (path.mark ? 3 : 0)),
                    .hop_limit = static_cast<std::uint8_t>(64 - path.hops),
                    .source = gid_of(from),
                    .destination = send.to.gid};
  arrival.source_qpn = transport.qpn(qp);
  arrival.length = send.length;
  for (int copy = 0; copy < copies; ++copy) {
    const auto jitter = std::chrono::nanoseconds(
        path.jitter.count() > 0 ? static_cast<std::int64_t>(random_()) % path.jitter.count() : 0);
    const core::SteadyTime arrives = completed + path.delay + jitter;
    at(arrives, [this, to, arrival, bytes, arrives, target = send.to]() mutable {
      arrival.tick = tick(*nodes_[to], arrives);
      deliver(to, target.qpn, arrival, bytes, target.qkey);
    });
  }
}

void SimFabric::deliver(std::size_t to, std::uint32_t qpn, probes::UdArrival arrival,
                        const std::vector<std::byte>& bytes, std::uint32_t qkey) {
  when_awake(to, [&, this](SimNode& node) {
    if (qkey != probes::qkey_of_epoch(node.epoch)) return;
    probes::UdArrival copy = arrival;
    // The host sees it now; the device stamped it when it came.
    copy.tick.host = clock_.steady();
    copy.payload = std::span(bytes).first(std::min<std::size_t>(bytes.size(), 64));
    for (SimTransport* transport : {node.probing.get(), node.responding.get()}) {
      const std::uint32_t qp = qpn - transport->qpn(0);
      if (qp >= transport->queue_pairs()) continue;
      copy.qp = qp;
      ++delivered_;
      if (transport == node.probing.get()) node.prober->received(copy);
      if (transport == node.responding.get()) node.responder->received(copy);
    }
  });
}

void SimFabric::stall(std::size_t index, std::chrono::nanoseconds duration) {
  SimNode& node = *nodes_[index];
  const core::SteadyTime from = clock_.steady();
  node.stalled_until = from + duration;
  at(node.stalled_until, [this, index, from] {
    SimNode& awake = *nodes_[index];
    awake.prober->loop_stalled(from, clock_.steady());
    awake.responder->loop_stalled(from, clock_.steady());
  });
}

void SimFabric::work(std::size_t index) {
  SimNode& node = *nodes_[index];
  if (!node.alive || clock_.steady() < node.stalled_until) return;
  node.prober->work();
  for (const std::string& peer : node.prober->take_lookups()) {
    if (!answer_lookups) {
      lookups.emplace_back(index, peer);
      continue;
    }
    for (std::size_t other = 0; other < size(); ++other) {
      if (name(other) != peer) continue;
      const bool alive = nodes_[other]->alive;
      node.prober->set_peer(
          peer, alive ? std::optional(nodes_[other]->endpoint()) : std::nullopt,
          alive ? probes::PeerReachability::kAnswers : probes::PeerReachability::kRefused);
    }
  }
}

void SimFabric::run_for(std::chrono::nanoseconds duration) {
  const core::SteadyTime end = clock_.steady() + duration;
  while (clock_.steady() < end) {
    core::SteadyTime next = end;
    if (!events_.empty()) next = std::min(next, events_.top().at);
    for (std::size_t i = 0; i < size(); ++i) {
      SimNode& node = *nodes_[i];
      if (!node.alive) continue;
      if (const auto wakeup = node.prober->next_wakeup()) {
        next = std::min(next, std::max(*wakeup, node.stalled_until));
      }
    }
    if (next > clock_.steady()) clock_.advance(next - clock_.steady());
    while (!events_.empty() && events_.top().at <= clock_.steady()) {
      const auto run = events_.top().run;
      events_.pop();
      run();
    }
    for (std::size_t i = 0; i < size(); ++i) work(i);
  }
}

}  // namespace rdmadiag::test
