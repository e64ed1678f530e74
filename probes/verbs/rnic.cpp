#include "probes/verbs/rnic.h"

#include <utility>

namespace rdmadiag::probes {
namespace {

// For who answers, apart from how.
AnsweringPortOptions answering(const RnicOptions& options) {
  return {.device = options.device,
          .port = options.port,
          .protocol = options.protocol,
          .leaf = options.leaf,
          .rail = options.rail,
          .pod = options.pod,
          .acceptor = options.acceptor};
}

}  // namespace

Rnic::Rnic(RnicOptions options, std::shared_ptr<const KeyRing> keys, const RandomSource& random,
           std::shared_ptr<const core::Clock> clock, ProberUser::Wishes wishes)
    : options_(std::move(options)),
      clock_(clock),
      prober_(std::make_shared<ProberUser>(options_.datagrams, options_.connections, keys, random,
                                           clock, std::move(wishes))),
      answering_(answering(options_), keys, random, clock),
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
  answering_.set_keys(keys);
}

void Rnic::set_rate_factor(double factor) {
  rate_factor_ = factor;
  prober_thread_.post([user = prober_.get(), factor] {
    user->prober().set_rate_factor(factor);
    user->rc_prober().set_rate_factor(factor);
  });
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
  const core::SteadyTime now = clock_->steady();
  snapshot.problem = problem_of(prober_thread_.state(), now);
  if (snapshot.problem.empty()) snapshot.problem = problem_of(answering_.state(), now);
  snapshot.running = snapshot.problem.empty();
  snapshot.rate_factor = rate_factor_;
  snapshot.responder = answering_.counts();
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
