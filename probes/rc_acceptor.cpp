#include "probes/rc_acceptor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/core/gid.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint32_t kMax24Bits = 0xffffff;
constexpr int kLeastMtu = 256;

}  // namespace

RcAcceptor::RcAcceptor(const RcAcceptorOptions& options, RandomSource random,
                       const core::Clock& clock)
    : options_(options),
      random_(std::move(random)),
      clock_(clock),
      bucket_(options.max_rate, static_cast<double>(options.max_connections), clock.steady()) {}

void RcAcceptor::attach(RcTransport* transport) {
  connections_.clear();
  count_ = 0;
  transport_ = transport;
}

core::Status RcAcceptor::check(const RcParameters& remote) const {
  if (options_.max_connections == 0) return core::fail("RC probes are switched off here");
  if (transport_ == nullptr) return core::fail("the device is not open");
  if (remote.operation != RcOperation::kSend && !options_.one_sided) {
    return core::fail("one-sided probes are not allowed here");
  }
  if (remote.qpn > kMax24Bits) return core::fail("qpn: more than 24 bits");
  if (remote.psn > kMax24Bits) return core::fail("psn: more than 24 bits");
  if (remote.mtu_bytes < kLeastMtu) return core::fail("mtu: less than 256");
  if (core::is_zero(remote.gid) && remote.lid == 0) return core::fail("neither gid nor lid");
  return {};
}

// A prober that made its end anew leaves the old one with us, and nobody tells.
core::Status RcAcceptor::make_room(const std::string& peer, std::uint32_t remote_qpn) {
  std::vector<RcConnectionId> of_peer;
  for (const auto& [id, connection] : connections_) {
    if (connection.peer != peer) continue;
    if (remote_qpn != 0 && connection.remote_qpn == remote_qpn) {
      drop(id);
      break;
    }
    of_peer.push_back(id);
  }
  const bool full = connections_.size() >= options_.max_connections;
  if (of_peer.size() >= options_.max_per_peer || (full && !of_peer.empty())) drop(of_peer.front());
  if (connections_.size() < options_.max_connections) return {};
  return core::fail("it has " + std::to_string(options_.max_connections) +
                    " connections already, the most it takes");
}

core::Result<RcParameters> RcAcceptor::accept(const std::string& peer, const RcParameters& remote) {
  if (auto checked = check(remote); !checked) return tl::make_unexpected(checked.error());
  if (!bucket_.take(clock_.steady())) return core::fail("too many new connections a second");
  if (auto room = make_room(peer, remote.qpn); !room) return tl::make_unexpected(room.error());
  auto created = transport_->create({.role = RcRole::kAcceptor,
                                     .operation = remote.operation,
                                     .service = remote.service,
                                     .psn = random_() & kMax24Bits,
                                     .flow_label = options_.flow_label,
                                     .traffic_class = options_.traffic_class});
  if (!created) return tl::make_unexpected(created.error());
  if (const auto connecting = transport_->connect(created->id, remote); !connecting) {
    transport_->destroy(created->id);
    return tl::make_unexpected(connecting.error());
  }
  connections_[created->id] = {.peer = peer,
                               .remote_qpn = remote.qpn,
                               .service = remote.service,
                               .last_used = clock_.steady()};
  count_ = connections_.size();
  created->local.epoch = options_.epoch;
  return created->local;
}

void RcAcceptor::received(RcConnectionId id, std::uint64_t number, const Tick& tick) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  found->second.last_used = tick.host;
  found->second.used = true;
  if (transport_->acknowledges(found->second.service)) return;
  if (!transport_->post(id, RcOperation::kSend, number)) drop(id);
}

void RcAcceptor::broken(RcConnectionId id, const std::string&) { drop(id); }

void RcAcceptor::qp_broken(std::uint32_t qpn) {
  if (transport_ != nullptr) drop(transport_->connection_of(qpn));
}

void RcAcceptor::drop(RcConnectionId id) {
  if (connections_.erase(id) == 0) return;
  transport_->destroy(id);
  count_ = connections_.size();
}

core::SteadyTime RcAcceptor::idle_at(const Connection& connection) const {
  return connection.last_used + (connection.used ? options_.idle : options_.first_message);
}

void RcAcceptor::work() {
  const core::SteadyTime now = clock_.steady();
  std::vector<RcConnectionId> idle;
  for (const auto& [id, connection] : connections_) {
    if (now >= idle_at(connection)) idle.push_back(id);
  }
  for (const RcConnectionId id : idle) drop(id);
}

std::optional<core::SteadyTime> RcAcceptor::next_wakeup() const {
  std::optional<core::SteadyTime> next;
  for (const auto& [id, connection] : connections_) {
    const core::SteadyTime time = idle_at(connection);
    next = next ? std::min(*next, time) : time;
  }
  return next;
}

}  // namespace rdmadiag::probes
