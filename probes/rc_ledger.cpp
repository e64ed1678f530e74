#include "probes/rc_ledger.h"

namespace rdmadiag::probes {

double RcLedger::down_time(const Peer& peer) const {
  if (peer.state.up || !peer.state.should_be_up) return 0;
  return std::chrono::duration<double>(clock_.steady() - peer.since).count();
}

void RcLedger::set_state(const std::string& peer, const State& state) {
  const std::scoped_lock hold(lock_);
  Peer& entry = peers_[peer];
  totals_.down_seconds += down_time(entry);
  entry.since = clock_.steady();
  entry.state = state;
  if (!state.up) entry.last_rtt_seconds.reset();
}

void RcLedger::remove(const std::string& peer) {
  const std::scoped_lock hold(lock_);
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  totals_.down_seconds += down_time(found->second);
  peers_.erase(found);
}

void RcLedger::acknowledged(const std::string& peer,
                            std::optional<std::chrono::nanoseconds> round_trip) {
  const std::scoped_lock hold(lock_);
  ++totals_.sent;
  ++totals_.arrived;
  if (!round_trip) return;
  const double seconds = std::chrono::duration<double>(*round_trip).count();
  totals_.rtt.observe(seconds);
  const auto found = peers_.find(peer);
  if (found != peers_.end()) found->second.last_rtt_seconds = seconds;
}

void RcLedger::lost() {
  const std::scoped_lock hold(lock_);
  ++totals_.sent;
}

void RcLedger::rebuilt(core::RcRebuildReason reason) {
  const std::scoped_lock hold(lock_);
  ++totals_.rebuilds[static_cast<std::size_t>(reason)];
}

void RcLedger::fill(core::RcProbes& probes) const {
  const std::scoped_lock hold(lock_);
  probes = totals_;
  for (const auto& [name, peer] : peers_) {
    probes.down_seconds += down_time(peer);
    probes.peers.push_back({.peer = name,
                            .up = peer.state.up,
                            .problem = peer.state.problem,
                            .last_rtt_seconds = peer.last_rtt_seconds});
  }
}

}  // namespace rdmadiag::probes
