#include "probes/verbs/rnic.h"

#include <future>
#include <utility>

namespace rdmadiag::probes {
namespace {

using namespace std::chrono_literals;

// A thread looks at its clock at least once a second; this long without means that it hangs.
constexpr auto kHangs = 5s;
constexpr auto kAcceptWithin = 1s;

}  // namespace

Rnic::Rnic(RnicOptions options, std::shared_ptr<const KeyRing> keys, const RandomSource& random,
           std::shared_ptr<const core::Clock> clock, ProberUser::Wishes wishes)
    : options_(std::move(options)),
      clock_(clock),
      prober_(std::make_shared<ProberUser>(options_.datagrams, options_.connections, keys, random,
                                           clock, std::move(wishes))),
      responder_(std::make_shared<ResponderUser>(options_.acceptor, keys, random, clock)),
      responder_thread_(options_.device, options_.port, "answer " + options_.device.name,
                        responder_, clock),
      prober_thread_(options_.device, options_.port, "probe " + options_.device.name, prober_,
                     clock) {}

void Rnic::set_connections(std::vector<RcTarget> targets) {
  prober_thread_.post([user = prober_.get(), targets = std::move(targets)] {
    user->rc_prober().set_targets(targets);
  });
}

void Rnic::connection_answered(std::uint64_t request, core::Result<RcParameters> answer) {
  prober_thread_.post([user = prober_.get(), request, answer = std::move(answer)] {
    user->rc_prober().answered(request, answer);
  });
}

core::Result<RcParameters> Rnic::accept(const std::string& peer, const RcParameters& remote) {
  using Answer = core::Result<RcParameters>;
  const auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  const bool posted = responder_thread_.post([user = responder_.get(), promise, peer, remote] {
    promise->set_value(user->acceptor().accept(peer, remote));
  });
  if (!posted || answer.wait_for(kAcceptWithin) != std::future_status::ready)
    return core::fail("the device does not answer in time");
  return answer.get();
}

void Rnic::set_targets(std::vector<ProbeTarget> targets) {
  prober_thread_.post([user = prober_.get(), targets = std::move(targets)] {
    user->prober().set_targets(targets);
  });
}

void Rnic::set_peer(std::string peer, std::optional<PeerEndpoint> endpoint,
                    PeerReachability reachability) {
  prober_thread_.post([user = prober_.get(), peer = std::move(peer), endpoint, reachability] {
    user->prober().set_peer(peer, endpoint, reachability);
    if (endpoint) user->rc_prober().set_peer_epoch(peer, endpoint->epoch);
  });
}

void Rnic::set_keys(std::shared_ptr<const KeyRing> keys) {
  prober_thread_.post([user = prober_.get(), keys] { user->prober().set_keys(keys); });
  responder_thread_.post([user = responder_.get(), keys] { user->responder().set_keys(keys); });
}

void Rnic::set_rate_factor(double factor) {
  rate_factor_ = factor;
  prober_thread_.post([user = prober_.get(), factor] {
    user->prober().set_rate_factor(factor);
    user->rc_prober().set_rate_factor(factor);
  });
}

std::string Rnic::problem(const PortState& prober, const PortState& responder) const {
  const core::SteadyTime now = clock_->steady();
  for (const PortState* state : {&prober, &responder}) {
    if (state->alive != core::SteadyTime{} && now - state->alive > kHangs)
      return "its driver does not return from a call";
    if (!state->usable) return state->problem;
  }
  return {};
}

RnicEndpoint Rnic::endpoint() const {
  const PortState state = responder_thread_.state();
  return {.device = options_.device.name,
          .port = options_.port,
          .protocol = state.protocol,
          .leaf = options_.leaf,
          .rail = options_.rail,
          .pod = options_.pod,
          .gid = state.gid,
          .lid = state.lid,
          .qpn = responder_->qpn(),
          .qkey = qkey_of_epoch(options_.datagrams.epoch),
          .mtu_bytes = state.mtu_bytes,
          .problem = problem(state, state)};
}

core::ProbeSnapshot Rnic::snapshot() const {
  core::ProbeSnapshot snapshot;
  prober_->prober().fill(snapshot);
  prober_->rc_prober().fill(snapshot.rc);
  snapshot.device = options_.device.name;
  snapshot.port = options_.port;
  snapshot.nic = name();
  snapshot.leaf = options_.leaf;
  snapshot.rail = options_.rail;
  snapshot.pod = options_.pod;
  snapshot.problem = problem(prober_thread_.state(), responder_thread_.state());
  snapshot.running = snapshot.problem.empty();
  snapshot.rate_factor = rate_factor_;
  snapshot.responder = responder_->counts();
  snapshot.taken_at = clock_->system();
  return snapshot;
}

core::ProbeSnapshot Rnic::snapshot_with_paths() const {
  core::ProbeSnapshot snapshot = this->snapshot();
  prober_->prober().fill_paths(snapshot);
  return snapshot;
}

core::PairHistory Rnic::history(std::string_view peer) const {
  return prober_->prober().history(peer);
}

}  // namespace rdmadiag::probes
