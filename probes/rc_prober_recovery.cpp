// What ends a connection, and what follows from it: the other half of RcProber.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "agent/core/log.h"
#include "probes/rc_prober.h"

namespace rdmadiag::probes {

using core::RcRebuildReason;

void RcProber::broken(RcConnectionId id, const std::string& why) {
  const auto found = find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (connection.state != State::kUp) {
    return fail(found->first, connection, Fault::kRemote, "connecting: " + why);
  }
  const std::chrono::duration<double> since_ok = clock_.steady() - connection.last_ok;
  rebuild(found->first, connection, RcRebuildReason::kCompletionError,
          fmt::format("{}, {:.1f} s after the last acknowledgement", why, since_ok.count()));
}

void RcProber::qp_broken(std::uint32_t qpn) {
  const auto found =
      transport_ != nullptr ? find(transport_->connection_of(qpn)) : connections_.end();
  if (found == connections_.end()) return;
  rebuild(found->first, found->second, RcRebuildReason::kQpEvent,
          "the device reported an error of the queue pair");
}

void RcProber::set_port_active(bool active) {
  if (active == port_active_) return;
  port_active_ = active;
  if (active) return port_came_up();
  for (auto& [key, connection] : connections_) {
    tell(connection, Fault::kLocal, "this host: the port is not active");
  }
}

void RcProber::port_came_up() {
  port_active_ = true;
  for (auto& [key, connection] : connections_) {
    if (connection.state == State::kUp || connection.broke_with_port) {
      rebuild(key, connection, RcRebuildReason::kPortUp, "this host: the port was down");
    }
    connection.broke_with_port = false;
    connection.failures = 0;
    if (connection.state == State::kWaiting) connection.due = clock_.steady();
  }
}

void RcProber::set_peer_epoch(const std::string& peer, std::uint32_t epoch) {
  const auto found = find_peer(peer);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (connection.peer_epoch == 0 || connection.peer_epoch == epoch) return;
  connection.failures = 0;
  if (connection.state == State::kConnecting || connection.state == State::kUp) {
    rebuild(found->first, connection, RcRebuildReason::kPeerRestarted,
            "the peer's agent restarted");
  }
  connection.peer_epoch = 0;
  retry_soon(peer);
}

void RcProber::retry_soon(const std::string& peer) {
  const auto found = find_peer(peer);
  if (found == connections_.end() || found->second.state != State::kWaiting) return;
  found->second.failures = 0;
  found->second.due =
      std::min(found->second.due, clock_.steady() + options_.limits.backoff.wait(0, random_));
}

void RcProber::rebuild(std::uint32_t key, Connection& connection, RcRebuildReason reason,
                       const std::string& problem) {
  if (!usable()) {
    // Everything breaks then; the reason will be that the port came up again.
    connection.broke_with_port = true;
    return fail(key, connection, Fault::kLocal, problem);
  }
  if (connection.message && reason == RcRebuildReason::kCompletionError) {
    ledger_.lost();
    record({.kind = RcRecord::Kind::kLost, .round_trip = {}, .problem = {}});
  }
  ledger_.rebuilt(reason);
  fail(key, connection, reason == RcRebuildReason::kPortUp ? Fault::kLocal : Fault::kRemote,
       problem);
}

void RcProber::fail(std::uint32_t key, Connection& connection, Fault fault,
                    const std::string& problem) {
  release(key, connection);
  connection.due = clock_.steady() + options_.limits.backoff.wait(connection.failures, random_);
  ++connection.failures;
  if (!usable()) fault = Fault::kLocal;
  tell(connection, fault, problem);
  RcRecord::Kind kind = RcRecord::Kind::kBroken;
  if (fault == Fault::kLocal) kind = RcRecord::Kind::kLocal;
  if (fault == Fault::kAgent) kind = RcRecord::Kind::kNotAgreed;
  record({.kind = kind, .round_trip = {}, .problem = problem});
}

void RcProber::record(RcRecord happened) {
  if (keeps_records_) records_.push_back(std::move(happened));
}

void RcProber::release(std::uint32_t key, Connection& connection) {
  schedule_.remove(key);
  if (connection.id && transport_ != nullptr) transport_->destroy(*connection.id);
  connection.id.reset();
  connection.message.reset();
  connection.state = State::kWaiting;
}

void RcProber::tell(Connection& connection, Fault fault, std::string problem) {
  connection.problem = std::move(problem);
  ledger_.set_state(connection.peer, {.up = false,
                                      .should_be_up = fault != Fault::kLocal && connection.agreed,
                                      .problem = connection.problem});
  if (!std::exchange(connection.is_up, false)) return;
  core::log_warn(
      "RC connection is down",
      {{"nic", options_.nic}, {"peer", connection.peer}, {"problem", connection.problem}});
}

}  // namespace rdmadiag::probes
