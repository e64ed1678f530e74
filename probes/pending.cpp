#include "probes/pending.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::probes {
namespace {

using core::ProbeOutcome;
using namespace std::chrono_literals;

constexpr std::uint32_t kBitmapWidth = 64;

}  // namespace

bool ProbeSample::plausible() const {
  const auto within = [](std::chrono::nanoseconds value, std::chrono::nanoseconds limit) {
    return value >= 0ns && value <= limit;
  };
  return within(network_rtt, 10s) && within(prober_delay, 1s) && within(responder_delay, 1s);
}

PendingProbes::PendingProbes(std::size_t capacity, const ProbeLimits& limits,
                             const DeviceClock& device_clock)
    : capacity_(std::min(capacity, kMaxCapacity)), limits_(limits), device_clock_(device_clock) {}

std::optional<WorkId> PendingProbes::add(const NewProbe& probe) {
  if (free_.empty()) {
    if (slots_.size() == capacity_) return std::nullopt;
    free_.push_back(static_cast<std::uint16_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint16_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  Slot fresh;
  fresh.generation = slot.generation + 1;
  fresh.used = true;
  fresh.probe = probe;
  slot = fresh;
  by_session_[probe.session].push_back(index);
  const WorkId id{WorkKind::kProbe, slot.generation, index};
  send_deadlines_.push_back({id, probe.posted});
  late_deadlines_.push_back({id, probe.posted});
  return id;
}

PendingProbes::Slot* PendingProbes::find(const WorkId& id) {
  if (id.slot >= slots_.size()) return nullptr;
  Slot& slot = slots_[id.slot];
  return slot.used && slot.generation == id.generation ? &slot : nullptr;
}

PendingProbes::Slot* PendingProbes::find(std::uint32_t session, std::uint32_t sequence) {
  const auto found = by_session_.find(session);
  if (found == by_session_.end()) return nullptr;
  for (const std::uint16_t index : found->second) {
    if (slots_[index].probe.sequence == sequence) return &slots_[index];
  }
  return nullptr;
}

void PendingProbes::post_failed(const WorkId& id, ProbeOutcome why) {
  if (Slot* slot = find(id)) decide(*slot, why);
}

void PendingProbes::send_completed(const WorkId& id, bool success, const Tick& tick) {
  Slot* slot = find(id);
  if (slot == nullptr) return;
  if (!success) return decide(*slot, ProbeOutcome::kLocalTx);
  slot->sent = tick;
  complete_if_done(*slot, tick.host);
}

bool PendingProbes::acknowledged(const Message& ack, const PacketHeader& header,
                                 const Tick& received, core::SteadyTime processed) {
  if (ack.type == MessageType::kAck1) note_bitmap(ack);
  Slot* slot = find(ack.session, ack.sequence);
  if (slot == nullptr) return false;
  if (processed - slot->probe.posted >= limits_.late) {
    decide_timed_out(*slot);
    return false;
  }
  if (ack.type == MessageType::kAck2) {
    if (slot->responder_delay_nanoseconds) return false;
    slot->responder_delay_nanoseconds = ack.responder_delay_nanoseconds;
    slot->ack_flags |= ack.flags & kFlagResponderHardwareTime;
  } else {
    if (slot->received) return false;
    note_peer_stall(slot->probe.target, ack, processed);
    slot->received = received;
    slot->processed = processed;
    slot->ack_flags |= ack.flags;
    if ((ack.flags & kFlagAck2Follows) == 0) {
      slot->responder_delay_nanoseconds = ack.responder_delay_nanoseconds;
    }
    slot->seen.forward_traffic_class = ack.seen_traffic_class;
    slot->seen.forward_hop_limit = ack.seen_hop_limit;
    slot->seen.reverse_traffic_class = header.traffic_class;
    slot->seen.reverse_hop_limit = header.hop_limit;
  }
  slot->evidence = Evidence::kArrived;
  complete_if_done(*slot, processed);
  return true;
}

void PendingProbes::note_bitmap(const Message& ack) {
  const auto found = by_session_.find(ack.session);
  if (found == by_session_.end()) return;
  for (const std::uint16_t index : found->second) {
    Slot& slot = slots_[index];
    const std::uint32_t age = ack.sequence - slot.probe.sequence;  // serial number arithmetic
    if (age >= kBitmapWidth) continue;
    if ((ack.arrived_bitmap >> age & 1) != 0) {
      slot.evidence = Evidence::kArrived;
    } else if (slot.evidence == Evidence::kNone) {
      slot.evidence = Evidence::kMissing;
    }
  }
}

void PendingProbes::note_peer_stall(std::uint32_t target, const Message& ack,
                                    core::SteadyTime now) {
  const std::chrono::microseconds lag(ack.responder_lag_microseconds);
  if (lag < limits_.stall) return;
  peer_stalls_[target].add(now - lag - limits_.stall_slack, now);
}

bool PendingProbes::peer_stalled(const Slot& slot) const {
  const auto found = peer_stalls_.find(slot.probe.target);
  return found != peer_stalls_.end() &&
         found->second.overlaps(slot.probe.posted, slot.probe.posted);
}

void PendingProbes::complete_if_done(Slot& slot, core::SteadyTime now) {
  if (!slot.sent || !slot.received || !slot.responder_delay_nanoseconds) return;
  const core::SteadyTime posted = slot.probe.posted;
  if (own_stalls_.overlaps(posted, now)) return decide(slot, ProbeOutcome::kSelfStall);
  if (now - posted > limits_.timeout) {
    return decide(slot, peer_stalled(slot) ? ProbeOutcome::kPeerStall : ProbeOutcome::kLate);
  }
  decide(slot, ProbeOutcome::kOk);
}

ProbeSample PendingProbes::sample_of(const Slot& slot) const {
  ProbeSample sample;
  const bool own_hardware = device_clock_.usable() && slot.sent->device && slot.received->device;
  const bool peer_hardware = (slot.ack_flags & kFlagResponderHardwareTime) != 0;
  const std::chrono::nanoseconds on_wire =
      own_hardware ? device_clock_.elapsed(*slot.sent->device, *slot.received->device)
                   : slot.received->host - slot.probe.posted;
  sample.timestamps = own_hardware && peer_hardware   ? core::ProbeTimestamps::kHardware
                      : own_hardware || peer_hardware ? core::ProbeTimestamps::kMixed
                                                      : core::ProbeTimestamps::kSoftware;
  sample.responder_delay = std::chrono::nanoseconds(*slot.responder_delay_nanoseconds);
  sample.network_rtt = on_wire - sample.responder_delay;
  sample.prober_delay = (slot.processed - slot.probe.posted) - on_wire;
  return sample;
}

void PendingProbes::decide(Slot& slot, ProbeOutcome outcome) {
  DecidedProbe decided = slot.seen;
  decided.probe = slot.probe;
  decided.outcome = outcome;
  decided.arrived = slot.evidence == Evidence::kArrived;
  if (outcome == ProbeOutcome::kOk) {
    decided.sample = sample_of(slot);
    decided.invalid_sample = !decided.sample->plausible();
    if (decided.invalid_sample) decided.sample.reset();
  }
  decided_.push_back(decided);
  const auto index = static_cast<std::uint16_t>(&slot - slots_.data());
  const auto session = by_session_.find(slot.probe.session);
  std::erase(session->second, index);
  if (session->second.empty()) by_session_.erase(session);
  slot.used = false;
  free_.push_back(index);
}

void PendingProbes::decide_timed_out(Slot& slot) {
  const core::SteadyTime posted = slot.probe.posted;
  if (own_stalls_.overlaps(posted, posted + limits_.timeout)) {
    return decide(slot, ProbeOutcome::kSelfStall);
  }
  if (slot.received) return decide(slot, ProbeOutcome::kOkNoAck2);
  if (peer_stalled(slot)) return decide(slot, ProbeOutcome::kPeerStall);
  switch (slot.evidence) {
    case Evidence::kArrived: return decide(slot, ProbeOutcome::kLostReverse);
    case Evidence::kMissing: return decide(slot, ProbeOutcome::kLostForward);
    case Evidence::kNone: return decide(slot, ProbeOutcome::kLostUnknown);
  }
}

bool PendingProbes::stale(std::uint32_t session, std::uint32_t sequence) {
  Slot* slot = find(session, sequence);
  if (slot == nullptr) return false;
  decide(*slot, ProbeOutcome::kStale);
  return true;
}

void PendingProbes::target_changed(std::uint32_t target) {
  for (Slot& slot : slots_) {
    if (slot.used && slot.probe.target == target) decide(slot, ProbeOutcome::kStale);
  }
  peer_stalls_.erase(target);
}

void PendingProbes::own_stall(core::SteadyTime from, core::SteadyTime to) {
  if (to - from > limits_.stall) own_stalls_.add(from, to);
}

void PendingProbes::expire_sends(core::SteadyTime now) {
  while (!send_deadlines_.empty() &&
         now - send_deadlines_.front().posted >= limits_.send_completion) {
    Slot* slot = find(send_deadlines_.front().id);
    send_deadlines_.pop_front();
    if (slot == nullptr || slot->sent) continue;
    const bool stalled = own_stalls_.overlaps(slot->probe.posted, now);
    decide(*slot, stalled ? ProbeOutcome::kSelfStall : ProbeOutcome::kLocalTx);
  }
}

void PendingProbes::expire(core::SteadyTime now) {
  expire_sends(now);
  while (!late_deadlines_.empty() && now - late_deadlines_.front().posted >= limits_.late) {
    Slot* slot = find(late_deadlines_.front().id);
    late_deadlines_.pop_front();
    if (slot != nullptr) decide_timed_out(*slot);
  }
}

std::optional<core::SteadyTime> PendingProbes::next_deadline() {
  const auto drop_decided = [this](std::deque<Deadline>& queue, bool sent_counts) {
    while (!queue.empty()) {
      const Slot* slot = find(queue.front().id);
      if (slot != nullptr && !(sent_counts && slot->sent)) break;
      queue.pop_front();
    }
  };
  drop_decided(send_deadlines_, true);
  drop_decided(late_deadlines_, false);
  std::optional<core::SteadyTime> next;
  if (!send_deadlines_.empty()) next = send_deadlines_.front().posted + limits_.send_completion;
  if (!late_deadlines_.empty()) {
    const auto late = late_deadlines_.front().posted + limits_.late;
    next = next ? std::min(*next, late) : late;
  }
  return next;
}

}  // namespace rdmadiag::probes
