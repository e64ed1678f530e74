#include "probes/responder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "probes/random.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMaxOpen = 1024;

template <class Target, class Source>
Target saturated(Source value) {
  if (value <= 0) return 0;
  const auto wide = static_cast<std::uint64_t>(value);
  return static_cast<Target>(std::min<std::uint64_t>(wide, std::numeric_limits<Target>::max()));
}

}  // namespace

Responder::Responder(std::uint32_t epoch, std::shared_ptr<const KeyRing> keys,
                     const SessionLimits& limits, const core::Clock& clock)
    : epoch_(epoch), keys_(std::move(keys)), clock_(clock), sessions_(limits, clock.steady()) {}

void Responder::attach(UdTransport* transport) {
  transport_ = transport;
  device_clock_ = transport != nullptr ? transport->device_clock() : DeviceClock{};
  for (std::size_t i = 0; i < open_.size(); ++i) {
    if (!open_[i].used) continue;
    open_[i].used = false;
    free_.push_back(static_cast<std::uint16_t>(i));
  }
}

void Responder::count(std::uint64_t core::ResponderCounts::*counter) {
  const std::scoped_lock hold(counts_lock_);
  ++(counts_.*counter);
}

core::ResponderCounts Responder::counts() const {
  const std::scoped_lock hold(counts_lock_);
  return counts_;
}

void Responder::loop_stalled(core::SteadyTime from, core::SteadyTime to) {
  stalls_[next_stall_++ % stalls_.size()] = {to, to - from};
}

// The longest since the session's previous ACK: what its probes meanwhile had to wait for.
std::uint32_t Responder::lag_since(core::SteadyTime last_ack) const {
  std::chrono::nanoseconds longest{0};
  for (const Stall& stall : stalls_) {
    if (stall.ended > last_ack) longest = std::max(longest, stall.length);
  }
  return saturated<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(longest).count());
}

void Responder::received_malformed() { count(&core::ResponderCounts::malformed_header); }

void Responder::received(const UdArrival& arrival) {
  // The link is up again, and this host has not heard of it.
  if (transport_ == nullptr) return;
  last_received_ = arrival.tick.host;
  const Route forward{.source_gid = arrival.header.source,
                      .target_gid = arrival.header.destination,
                      .source_qpn = arrival.source_qpn,
                      .target_qpn = transport_->qpn(arrival.qp)};
  const auto probe = decode_message(arrival.payload, arrival.length, forward, *keys_);
  if (!probe || probe->message.type != MessageType::kProbe) {
    const DecodeFault fault = probe ? DecodeFault::kFields : probe.error();
    const std::scoped_lock hold(counts_lock_);
    ++counts_.rejected[static_cast<std::size_t>(fault)];
    return;
  }
  answer(arrival, *probe,
         {.source_gid = forward.target_gid,
          .target_gid = forward.source_gid,
          .source_qpn = forward.target_qpn,
          .target_qpn = forward.source_qpn});
}

Message Responder::reply_to(const UdArrival& arrival, const Message& probe) const {
  const auto hardware_flag =
      static_cast<std::uint8_t>(device_clock_.usable() ? kFlagResponderHardwareTime : 0);
  return {.type = MessageType::kAck1,
          .flags = hardware_flag,
          .session = probe.session,
          .sequence = probe.sequence,
          .source_epoch = epoch_,
          .target_epoch = probe.source_epoch,
          .label = probe.label,
          .traffic_class = probe.traffic_class,
          .scope = probe.scope,
          .seen_traffic_class = arrival.header.traffic_class,
          .seen_hop_limit = arrival.header.hop_limit};
}

void Responder::answer(const UdArrival& arrival, const SignedMessage& probe, const Route& back) {
  const Message& asked = probe.message;
  count(&core::ResponderCounts::probes);
  const UdAddress to{.gid = arrival.header.source,
                     .lid = arrival.source_lid,
                     .qpn = arrival.source_qpn,
                     .qkey = qkey_of_epoch(asked.source_epoch)};
  Message reply = reply_to(arrival, asked);
  const core::SteadyTime now = clock_.steady();
  const auto admission = sessions_.admit({.source = arrival.header.source,
                                          .source_qpn = arrival.source_qpn,
                                          .source_epoch = asked.source_epoch,
                                          .session = asked.session},
                                         asked.sequence, now);
  if (admission.verdict == SessionTable::Verdict::kReplayed) {
    return count(&core::ResponderCounts::replayed);
  }
  if (admission.verdict == SessionTable::Verdict::kRateLimited) {
    return count(&core::ResponderCounts::rate_limited);
  }
  if (asked.target_epoch != epoch_) {
    count(&core::ResponderCounts::stale);
    reply.type = MessageType::kStale;
    post(arrival.qp, to, reply, back, probe.key_id, {.kind = WorkKind::kStale});
    return;
  }
  reply.arrived_bitmap = admission.bitmap;
  reply.responder_lag_microseconds = lag_since(admission.session->last_ack);
  admission.session->last_ack = now;

  transport_->prepare(to, reply.label, reply.traffic_class);
  WorkId id{.kind = WorkKind::kAck1, .slot = std::numeric_limits<std::uint16_t>::max()};
  if (device_clock_.usable() && arrival.tick.device) {
    if (open_.size() - free_.size() >= kMaxOpen) return count(&core::ResponderCounts::send_failed);
    reply.flags |= kFlagAck2Follows;
    id = open_slot();
    const std::uint32_t generation = id.generation;
    open_[id.slot] = {generation, true, arrival.qp,   to,
                      reply,      back, probe.key_id, *arrival.tick.device};
  } else {
    reply.flags &= static_cast<std::uint8_t>(~kFlagResponderHardwareTime);
    reply.responder_delay_nanoseconds =
        saturated<std::uint32_t>((clock_.steady() - arrival.tick.host).count());
  }
  const Posted posted = post(arrival.qp, to, reply, back, probe.key_id, id);
  if (posted == Posted::kYes) return count(&core::ResponderCounts::acks);
  count(&core::ResponderCounts::send_failed);
  if (id.slot < open_.size()) {
    open_[id.slot].used = false;
    free_.push_back(id.slot);
  }
}

WorkId Responder::open_slot() {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint16_t>(open_.size()));
    open_.emplace_back();
  }
  const std::uint16_t slot = free_.back();
  free_.pop_back();
  return {WorkKind::kAck1, ++open_[slot].generation, slot};
}

Posted Responder::post(std::size_t qp, const UdAddress& to, const Message& message,
                       const Route& route, std::uint8_t key_id, const WorkId& id) {
  const ProbeKey* key = keys_->find(key_id);
  if (key == nullptr) return Posted::kFailed;  // rotated away since the probe came
  const MessageBytes bytes = encode_message(message, route, *key);
  return transport_->send(qp, {.id = id,
                               .to = to,
                               .label = message.label,
                               .traffic_class = message.traffic_class,
                               .payload = bytes,
                               .length = bytes.size()});
}

void Responder::sent(const WorkId& id, bool success, const Tick& tick) {
  if (id.kind != WorkKind::kAck1 || id.slot >= open_.size()) return;
  Open& open = open_[id.slot];
  if (!open.used || open.generation != id.generation) return;
  open.used = false;
  free_.push_back(id.slot);
  if (!success || !tick.device) return;
  Message ack2 = open.ack1;
  ack2.type = MessageType::kAck2;
  ack2.flags &= static_cast<std::uint8_t>(~kFlagAck2Follows);
  ack2.responder_delay_nanoseconds =
      saturated<std::uint32_t>(device_clock_.elapsed(open.received_ticks, *tick.device).count());
  const Posted posted =
      post(open.qp, open.to, ack2, open.route, open.key_id, {.kind = WorkKind::kAck2});
  if (posted != Posted::kYes) count(&core::ResponderCounts::send_failed);
}

}  // namespace rdmadiag::probes
