#include "probes/prober.h"

#include <algorithm>
#include <set>

#include "probes/flow_label.h"

namespace rdmadiag::probes {

using core::ProbeOutcome;

Prober::Prober(const ProberOptions& options, std::shared_ptr<const KeyRing> keys,
               RandomSource random, const core::Clock& clock)
    : options_(options),
      keys_(std::move(keys)),
      random_(std::move(random)),
      clock_(clock),
      pending_(options.capacity, options.limits, {}),
      bucket_(options.max_rate, std::max(1.0, options.max_rate / 10), clock.steady()),
      tally_(clock, options.traffic_class) {}

void Prober::attach(UdTransport* transport) {
  for (const auto& [id, target] : targets_) pending_.target_changed(id);
  record_decided();
  transport_ = transport;
  pending_ = PendingProbes(options_.capacity, options_.limits,
                           transport != nullptr ? transport->device_clock() : DeviceClock{});
  for (auto& [id, target] : targets_) start_sessions(id, target);
}

void Prober::set_targets(const std::vector<ProbeTarget>& targets) {
  std::set<Key> wanted;
  for (const ProbeTarget& target : targets) {
    const Key key{target.scope, target.peer};
    if (wanted.insert(key).second) add_target(key, target);
  }
  std::vector<Key> gone;
  for (const auto& [key, id] : ids_) {
    if (!wanted.contains(key)) gone.push_back(key);
  }
  for (const Key& key : gone) remove_target(key);
}

void Prober::add_target(const Key& key, const ProbeTarget& about) {
  const auto [entry, added] = ids_.try_emplace(key, next_id_);
  if (added) ++next_id_;
  const std::uint32_t id = entry->second;
  Target& target = targets_[id];
  target.about = about;
  schedule_.set(id, about.interval, about.hash, clock_.steady());
  {
    const std::scoped_lock hold(tally_lock_);
    tally_.set_target(
        id,
        {.peer = about.peer, .leaf = about.leaf, .scope = about.scope, .interval = about.interval});
  }
  if (!added) return;
  for (const auto& [other_id, other] : targets_) {
    if (other_id == id || other.about.peer != about.peer || !other.endpoint) continue;
    target.endpoint = other.endpoint;
    const std::scoped_lock hold(tally_lock_);
    tally_.set_resolved(id, true);
  }
  start_sessions(id, target);
  if (!target.endpoint) want_lookup(target);
}

void Prober::remove_target(const Key& key) {
  const std::uint32_t id = ids_.at(key);
  pending_.target_changed(id);
  record_decided();
  schedule_.remove(id);
  forget_sessions(targets_.at(id));
  targets_.erase(id);
  ids_.erase(key);
  const std::scoped_lock hold(tally_lock_);
  tally_.remove_target(id);
}

void Prober::forget_sessions(Target& target) {
  for (const Session& session : target.sessions) session_target_.erase(session.id);
  target.sessions.clear();
}

void Prober::start_sessions(std::uint32_t id, Target& target) {
  forget_sessions(target);
  const std::size_t count = transport_ != nullptr ? transport_->queue_pairs() : 0;
  for (std::size_t qp = 0; qp < count; ++qp) {
    std::uint32_t session = random_();
    while (session_target_.contains(session)) session = random_();
    session_target_.emplace(session, id);
    target.sessions.push_back({.id = session, .next_sequence = random_()});
  }
}

void Prober::set_peer(const std::string& peer, const std::optional<PeerEndpoint>& endpoint,
                      PeerReachability reachability) {
  for (auto& [id, target] : targets_) {
    if (target.about.peer != peer) continue;
    target.lookup_wanted = false;
    if (endpoint) {
      const bool restarted =
          target.endpoint && (target.endpoint->epoch != endpoint->epoch ||
                              target.endpoint->address.qpn != endpoint->address.qpn ||
                              target.endpoint->address.gid != endpoint->address.gid);
      if (restarted) pending_.target_changed(id);
      if (restarted || !target.endpoint) start_sessions(id, target);
      target.endpoint = endpoint;
      if (transport_ != nullptr && target.unanswered > 0) {
        transport_->forget_address(endpoint->address.gid);
      }
      target.unanswered = 0;
    }
    const std::scoped_lock hold(tally_lock_);
    tally_.set_resolved(id, target.endpoint.has_value());
    tally_.set_reachability(id, reachability);
  }
  record_decided();
}

void Prober::set_rate_factor(double factor) { schedule_.set_rate_factor(factor, clock_.steady()); }

void Prober::loop_stalled(core::SteadyTime from, core::SteadyTime to) {
  pending_.own_stall(from, to);
}

bool Prober::work() {
  const core::SteadyTime now = clock_.steady();
  bool sent_something = false;
  while (const auto id = schedule_.take_due(now)) {
    if (!bucket_.take(now)) continue;
    send_probe(*id, targets_.at(*id));
    sent_something = true;
  }
  pending_.expire(clock_.steady());
  record_decided();
  return sent_something;
}

std::optional<ProbeKey> Prober::key_for(const Target& target) const {
  if (target.about.own_host) return keys_->local();
  return keys_->shared();
}

void Prober::send_probe(std::uint32_t id, Target& target) {
  const auto key = key_for(target);
  if (transport_ == nullptr || !target.endpoint || !key) {
    if (!target.endpoint) want_lookup(target);
    const std::scoped_lock hold(tally_lock_);
    tally_.record_not_sent(id);
    return;
  }
  post(id, target, *key);
}

void Prober::post(std::uint32_t id, Target& target, const ProbeKey& key) {
  const std::uint32_t turn = target.next_label++ % options_.labels;
  const std::size_t qp = turn % target.sessions.size();
  Session& session = target.sessions[qp];
  const PeerEndpoint& peer = *target.endpoint;
  const std::uint32_t label = probe_label(target.about.hash, turn);
  transport_->prepare(peer.address, label, options_.traffic_class);
  const Message message{
      .type = MessageType::kProbe,
      .flags = transport_->device_clock().usable() ? kFlagProberHardwareTime : std::uint8_t{0},
      .session = session.id,
      .sequence = session.next_sequence++,
      .source_epoch = options_.epoch,
      .target_epoch = peer.epoch,
      .label = label,
      .traffic_class = options_.traffic_class,
      .scope = target.about.scope};
  const MessageBytes bytes = encode_message(message,
                                            {.source_gid = transport_->gid(),
                                             .target_gid = peer.address.gid,
                                             .source_qpn = transport_->qpn(qp),
                                             .target_qpn = peer.address.qpn},
                                            key);
  const core::SteadyTime posted = clock_.steady();
  const NewProbe probe{.target = id,
                       .session = session.id,
                       .sequence = message.sequence,
                       .label = message.label,
                       .posted = posted};
  const auto work = pending_.add(probe);
  if (!work) return;  // thousands on their way: more than the limits allow
  if (++target.posted == target.about.most) schedule_.remove(id);
  const Posted result = transport_->send(qp, {.id = *work,
                                              .to = peer.address,
                                              .label = message.label,
                                              .traffic_class = message.traffic_class,
                                              .payload = bytes,
                                              .length = bytes.size()});
  if (result == Posted::kYes) return note_silence(target, posted);
  // The peer may have another address by now.
  if (result == Posted::kNoAddress) note_silence(target, posted);
  pending_.post_failed(
      *work, result == Posted::kNoAddress ? ProbeOutcome::kNotSent : ProbeOutcome::kLocalTx);
}

// Called for each probe sent: looks whether the three before were answered.
void Prober::note_silence(Target& target, core::SteadyTime now) {
  if (target.unanswered >= target.silent.size() &&
      now - target.silent.back() > options_.limits.timeout) {
    target.fell_silent = true;
    want_lookup(target);
  }
  if (target.unanswered < target.silent.size()) target.silent[target.unanswered] = now;
  ++target.unanswered;
}

void Prober::note_answer(Target& target) {
  if (std::exchange(target.fell_silent, false)) recovered_.push_back(target.about.peer);
  target.unanswered = 0;
  target.lookup_wanted = false;
}

void Prober::want_lookup(Target& target) {
  if (target.lookup_wanted) return;
  target.lookup_wanted = true;
  lookups_.push_back(target.about.peer);
}

std::vector<std::string> Prober::take_lookups() { return std::exchange(lookups_, {}); }

std::vector<std::string> Prober::take_recovered() { return std::exchange(recovered_, {}); }

Prober::Target* Prober::target_of_session(std::uint32_t session) {
  const auto found = session_target_.find(session);
  if (found == session_target_.end()) return nullptr;
  const auto target = targets_.find(found->second);
  return target == targets_.end() ? nullptr : &target->second;
}

void Prober::sent(const WorkId& id, bool success, const Tick& tick) {
  pending_.send_completed(id, success, tick);
}

void Prober::received(const UdArrival& arrival) {
  // The link is up again, and this host has not heard of it.
  if (transport_ == nullptr) return;
  const Route route{.source_gid = arrival.header.source,
                    .target_gid = arrival.header.destination,
                    .source_qpn = arrival.source_qpn,
                    .target_qpn = transport_->qpn(arrival.qp)};
  const auto decoded = decode_message(arrival.payload, arrival.length, route, *keys_);
  if (!decoded) return;
  const Message& message = decoded->message;
  if (message.target_epoch != options_.epoch) return;
  Target* target = target_of_session(message.session);
  if (target == nullptr || !target->endpoint) return;
  // A key is shared by many: only the target itself may speak for it.
  if (target->endpoint->address.gid != route.source_gid ||
      target->endpoint->address.qpn != route.source_qpn) {
    return;
  }
  switch (message.type) {
    case MessageType::kProbe: return;
    case MessageType::kStale:
      if (!pending_.stale(message.session, message.sequence)) return;
      target->endpoint.reset();
      want_lookup(*target);
      break;
    case MessageType::kAck1:
    case MessageType::kAck2:
      if (message.source_epoch != target->endpoint->epoch) return;
      note_answer(*target);
      pending_.acknowledged(message, arrival.header, arrival.tick, clock_.steady());
      break;
  }
  record_decided();
}

void Prober::record_decided() {
  const auto decided = pending_.take_decided();
  if (decided.empty()) return;
  const std::scoped_lock hold(tally_lock_);
  for (const DecidedProbe& probe : decided) {
    tally_.record(probe);
    if (keeps_decided_) kept_.push_back(probe);
  }
}

std::optional<core::SteadyTime> Prober::next_wakeup() {
  std::optional<core::SteadyTime> next = pending_.next_deadline();
  if (const auto due = schedule_.next_due()) next = next ? std::min(*next, *due) : *due;
  return next;
}

void Prober::fill(core::ProbeSnapshot& snapshot) const {
  const std::scoped_lock hold(tally_lock_);
  tally_.fill(snapshot);
}

void Prober::fill_paths(core::ProbeSnapshot& snapshot) const {
  const std::scoped_lock hold(tally_lock_);
  tally_.fill_paths(snapshot);
}

core::PairHistory Prober::history(std::string_view peer) const {
  const std::scoped_lock hold(tally_lock_);
  return tally_.history(peer);
}

}  // namespace rdmadiag::probes
