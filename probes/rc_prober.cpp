#include "probes/rc_prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "agent/core/log.h"

namespace rdmadiag::probes {
namespace {

using core::RcRebuildReason;

constexpr std::uint32_t kPsnMask = 0xffffff;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

RcProber::RcProber(const RcProberOptions& options, RandomSource random, const core::Clock& clock)
    : options_(options), random_(std::move(random)), clock_(clock), ledger_(clock) {
  options_.interval = std::min(options_.interval, options_.limits.longest_interval);
}

void RcProber::set_rate_factor(double factor) {
  const double least = seconds(options_.interval) / seconds(options_.limits.longest_interval);
  schedule_.set_rate_factor(std::max(factor, least), clock_.steady());
}

void RcProber::attach(RcTransport* transport) {
  transport_ = nullptr;  // its queue pairs went with it
  for (auto& [key, connection] : connections_) release(key, connection);
  transport_ = transport;
  for (auto& [key, connection] : connections_) {
    connection.due = clock_.steady();
    connection.failures = 0;
    tell(connection, Fault::kLocal,
         transport == nullptr ? "this host: the device is not open" : "not connected yet");
  }
}

void RcProber::set_targets(const std::vector<RcTarget>& targets) {
  std::set<std::string> wanted;
  for (const RcTarget& target : targets) {
    if (wanted.size() == options_.max_connections) break;
    if (!wanted.insert(target.peer).second || find_peer(target.peer) != connections_.end()) {
      continue;
    }
    Connection& connection = connections_[next_key_++];
    connection.peer = target.peer;
    connection.hash = target.hash;
    // All of a fabric's hosts may start at once: not everybody asks in the same instant.
    connection.due = clock_.steady() + options_.limits.backoff.first * (target.hash % 1000) / 1000;
    tell(connection, Fault::kLocal, "not connected yet");
  }
  for (auto it = connections_.begin(); it != connections_.end();) {
    if (wanted.contains(it->second.peer)) {
      ++it;
      continue;
    }
    release(it->first, it->second);
    ledger_.remove(it->second.peer);
    it = connections_.erase(it);
  }
}

std::vector<RcRequest> RcProber::take_requests() { return std::exchange(requests_, {}); }

void RcProber::answered(std::uint64_t id, const core::Result<RcParameters>& answer) {
  const auto found = std::ranges::find_if(connections_, [id](const auto& entry) {
    return entry.second.state == State::kAsked && entry.second.request == id;
  });
  if (found == connections_.end()) return;  // too late, or of another life
  Connection& connection = found->second;
  if (!answer) {
    return fail(found->first, connection, Fault::kAgent,
                "asking the peer: " + answer.error().message());
  }
  connection.peer_epoch = answer->epoch;
  connection.agreed = true;
  const auto connecting = transport_->connect(*connection.id, *answer);
  if (!connecting) {
    return fail(found->first, connection, Fault::kRemote,
                "connecting: " + connecting.error().message());
  }
  connection.state = State::kConnecting;
  connection.due = clock_.steady() + options_.limits.connect;
  if (*connecting == RcConnecting::kUp) established(found->first, connection);
}

void RcProber::connected(RcConnectionId id) {
  const auto found = find(id);
  if (found == connections_.end() || found->second.state != State::kConnecting) return;
  established(found->first, found->second);
}

// Ready to send, which proves nothing yet: up is what has been acknowledged.
void RcProber::established(std::uint32_t key, Connection& connection) {
  connection.state = State::kUp;
  connection.up_since = connection.last_ok = clock_.steady();
  connection.last_send_operation = {};
  connection.echoes_missed = 0;
  tell(connection, Fault::kRemote,
       connection.failures == 0 ? "connected, nothing acknowledged yet" : connection.problem);
  schedule_.set(key, options_.interval, connection.hash, clock_.steady());
}

bool RcProber::work() {
  bool sent = false;
  if (transport_ == nullptr) return false;
  for (auto& [key, connection] : connections_) advance(key, connection);
  while (const auto due = schedule_.take_due(clock_.steady())) {
    const auto found = connections_.find(*due);
    if (found != connections_.end() && send(*due, found->second)) sent = true;
  }
  return sent;
}

void RcProber::advance(std::uint32_t key, Connection& connection) {
  const core::SteadyTime now = clock_.steady();
  switch (connection.state) {
    case State::kWaiting:
      if (usable() && now >= start_time(connection)) start(key, connection);
      break;
    case State::kAsked:
      if (now >= connection.due) {
        fail(key, connection, Fault::kAgent,
             fmt::format("asking the peer: no answer within {:.0f} s",
                         seconds(options_.limits.answer)));
      }
      break;
    case State::kConnecting:
      if (now >= connection.due) {
        fail(key, connection, Fault::kRemote,
             fmt::format("connecting: not done within {:.0f} s", seconds(options_.limits.connect)));
      }
      break;
    case State::kUp: check_message(key, connection); break;
  }
}

void RcProber::start(std::uint32_t key, Connection& connection) {
  if (connection.tried) next_rebuild_ = clock_.steady() + options_.limits.rebuild_spacing;
  connection.tried = true;
  auto created = transport_->create({.role = RcRole::kProber,
                                     .operation = options_.operation,
                                     .service = options_.service,
                                     .psn = random_() & kPsnMask,
                                     .flow_label = options_.flow_label,
                                     .traffic_class = options_.traffic_class});
  if (!created) {
    return fail(key, connection, Fault::kLocal, "this host: " + created.error().message());
  }
  connection.id = created->id;
  connection.local = created->local;
  connection.local.epoch = options_.epoch;
  connection.request = next_request_++;
  connection.state = State::kAsked;
  connection.due = clock_.steady() + options_.limits.answer;
  requests_.push_back(
      {.peer = connection.peer, .id = connection.request, .local = connection.local});
}

bool RcProber::send(std::uint32_t key, Connection& connection) {
  if (connection.state != State::kUp || connection.message) return false;  // one at a time
  const core::SteadyTime now = clock_.steady();
  RcOperation operation = options_.operation;
  if (now - connection.last_send_operation >= options_.limits.sign_of_life) {
    operation = RcOperation::kSend;
  }
  if (operation == RcOperation::kSend) connection.last_send_operation = now;
  // Before posting: the acknowledgement may come first.
  connection.message = Message{.number = next_number_++, .posted = now};
  const auto posted = transport_->post(*connection.id, operation, connection.message->number);
  if (posted) return true;
  connection.message.reset();
  fail(key, connection, Fault::kLocal, "this host: " + posted.error().message());
  return false;
}

core::SteadyTime RcProber::message_deadline(const Message& message) const {
  if (acknowledges()) return message.posted + options_.limits.completion;
  return message.posted + (options_.service == RcService::kReliable ? options_.limits.reliable_echo
                                                                    : options_.limits.echo);
}

void RcProber::check_message(std::uint32_t key, Connection& connection) {
  if (!connection.message || clock_.steady() < message_deadline(*connection.message)) return;
  if (options_.service == RcService::kReliable) {
    const RcLimits& limits = options_.limits;
    const auto problem =
        acknowledges()
            ? fmt::format("no completion within {:.0f} s", seconds(limits.completion))
            : fmt::format("not sent back within {:.0f} s", seconds(limits.reliable_echo));
    return rebuild(key, connection, RcRebuildReason::kCompletionError, problem);
  }
  if (!connection.message->stalled) {
    ledger_.lost();
    record({.kind = RcRecord::Kind::kLost, .round_trip = {}, .problem = {}});
    ++connection.echoes_missed;
  }
  connection.message.reset();
  if (connection.echoes_missed < options_.limits.echoes_missed) return;
  rebuild(key, connection, RcRebuildReason::kCompletionError,
          std::to_string(connection.echoes_missed) + " messages in a row were not sent back");
}

void RcProber::sent(RcConnectionId id, const Tick& tick) {
  const auto found = find(id);
  if (found == connections_.end() || !acknowledges()) return;
  acknowledged(found->second, tick);
}

void RcProber::received(RcConnectionId id, std::uint64_t number, const Tick& tick) {
  const auto found = find(id);
  if (found == connections_.end() || acknowledges()) return;
  const auto& message = found->second.message;
  if (message && message->number == number) acknowledged(found->second, tick);
}

void RcProber::acknowledged(Connection& connection, const Tick& tick) {
  if (!connection.message) return;
  std::optional<std::chrono::nanoseconds> round_trip;
  if (!connection.message->stalled && tick.host >= connection.message->posted) {
    round_trip = tick.host - connection.message->posted;
  }
  connection.message.reset();
  connection.echoes_missed = 0;
  connection.last_ok = clock_.steady();
  if (connection.last_ok - connection.up_since >= options_.limits.stable) connection.failures = 0;
  ledger_.acknowledged(connection.peer, round_trip);
  if (!connection.is_up) record({.kind = RcRecord::Kind::kUp, .round_trip = {}, .problem = {}});
  record({.kind = RcRecord::Kind::kAcknowledged, .round_trip = round_trip, .problem = {}});
  if (connection.is_up) return;
  connection.is_up = true;
  ledger_.set_state(connection.peer, {.up = true, .should_be_up = true, .problem = {}});
  core::log_info("RC connection is up", {{"nic", options_.nic}, {"peer", connection.peer}});
}

void RcProber::loop_stalled(core::SteadyTime from, core::SteadyTime to) {
  for (auto& [key, connection] : connections_) {
    if (connection.state == State::kAsked || connection.state == State::kConnecting) {
      connection.due += to - from;
    }
    if (!connection.message) continue;
    connection.message->posted += to - from;
    connection.message->stalled = true;
  }
}

core::SteadyTime RcProber::start_time(const Connection& connection) const {
  return connection.tried ? std::max(connection.due, next_rebuild_) : connection.due;
}

std::optional<core::SteadyTime> RcProber::next_wakeup() const {
  if (transport_ == nullptr) return std::nullopt;
  std::optional<core::SteadyTime> next = schedule_.next_due();
  const auto consider = [&next](core::SteadyTime time) {
    next = next ? std::min(*next, time) : time;
  };
  for (const auto& [key, connection] : connections_) {
    switch (connection.state) {
      case State::kWaiting:
        if (usable()) consider(start_time(connection));
        break;
      case State::kAsked:
      case State::kConnecting: consider(connection.due); break;
      case State::kUp:
        if (connection.message) consider(message_deadline(*connection.message));
        break;
    }
  }
  return next;
}

bool RcProber::awaits_answers() const {
  return std::ranges::any_of(connections_,
                             [](const auto& entry) { return entry.second.message.has_value(); });
}

RcProber::Connections::iterator RcProber::find(RcConnectionId id) {
  return std::ranges::find_if(connections_,
                              [id](const auto& entry) { return entry.second.id == id; });
}

RcProber::Connections::iterator RcProber::find_peer(const std::string& peer) {
  return std::ranges::find_if(connections_,
                              [&peer](const auto& entry) { return entry.second.peer == peer; });
}

}  // namespace rdmadiag::probes
