// The probes on their way. Gives every one exactly one outcome (probing.md §5), however its send
// completion, ACK1 and ACK2 are ordered, late, doubled or lost. Pure: time comes with each call,
// and what was decided is taken out by the caller. Used by the prober's thread alone.
//
// A probe that timed out is not decided at once: until the late limit it may still complete, and
// later ACKs say by their bitmap on which way it was lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/packet_header.h"
#include "probes/stall_log.h"
#include "probes/tick.h"
#include "probes/wire.h"
#include "probes/work_id.h"

namespace rdmadiag::probes {

struct ProbeLimits {
  std::chrono::nanoseconds send_completion = std::chrono::milliseconds(100);
  std::chrono::nanoseconds timeout = std::chrono::milliseconds(500);
  std::chrono::nanoseconds late = std::chrono::seconds(5);
  // A loop that was away longer than this spoils what it measured.
  std::chrono::nanoseconds stall = std::chrono::milliseconds(100);
  // How much of a stall the responder may not have noticed: it looks at its clock this often.
  std::chrono::nanoseconds stall_slack = std::chrono::milliseconds(250);
};

struct ProbeSample {
  core::ProbeTimestamps timestamps = core::ProbeTimestamps::kSoftware;
  std::chrono::nanoseconds network_rtt{0};
  std::chrono::nanoseconds prober_delay{0};
  std::chrono::nanoseconds responder_delay{0};

  // Anything else is a broken clock, not a measurement.
  [[nodiscard]] bool plausible() const;
};

struct NewProbe {
  std::uint32_t target = 0;  // the caller's number for it
  std::uint32_t session = 0;
  std::uint32_t sequence = 0;
  std::uint32_t label = 0;
  core::SteadyTime posted{};  // T1: just before the post
};

struct DecidedProbe {
  NewProbe probe;
  core::ProbeOutcome outcome = core::ProbeOutcome::kNotSent;
  bool arrived = false;               // at the target, as far as is known
  std::optional<ProbeSample> sample;  // kOk only
  bool invalid_sample = false;        // kOk, but the clocks made no sense
  // Of the probe as the responder saw it, and of ACK1 as we saw it; empty without an ACK1.
  std::optional<std::uint8_t> forward_traffic_class;
  std::optional<std::uint8_t> forward_hop_limit;
  std::optional<std::uint8_t> reverse_traffic_class;
  std::optional<std::uint8_t> reverse_hop_limit;
};

class PendingProbes {
 public:
  static constexpr std::size_t kMaxCapacity = 65535;

  PendingProbes(std::size_t capacity, const ProbeLimits& limits, const DeviceClock& device_clock);

  // Call before posting: the ACK can be there before ibv_post_send returns. Empty when full.
  [[nodiscard]] std::optional<WorkId> add(const NewProbe& probe);
  void post_failed(const WorkId& id, core::ProbeOutcome why);
  void send_completed(const WorkId& id, bool success, const Tick& tick);
  // ACK1 or ACK2 of a target whose tag was found right. False for one that belongs to no pending
  // probe: a duplicate, or one decided long ago.
  bool acknowledged(const Message& ack, const PacketHeader& header, const Tick& received,
                    core::SteadyTime processed);
  // The target is not the one we believed: this probe, or all of a target's, say nothing.
  bool stale(std::uint32_t session, std::uint32_t sequence);
  void target_changed(std::uint32_t target);
  void own_stall(core::SteadyTime from, core::SteadyTime to);

  void expire(core::SteadyTime now);
  // When expire() has something to do; empty when nothing is pending.
  [[nodiscard]] std::optional<core::SteadyTime> next_deadline();

  [[nodiscard]] std::vector<DecidedProbe> take_decided() { return std::exchange(decided_, {}); }
  [[nodiscard]] std::size_t size() const { return slots_.size() - free_.size(); }

 private:
  enum class Evidence : std::uint8_t { kNone, kMissing, kArrived };

  struct Slot {
    std::uint32_t generation = 0;
    bool used = false;
    NewProbe probe;
    std::optional<Tick> sent;      // T2
    std::optional<Tick> received;  // T5, of ACK1
    core::SteadyTime processed{};  // T6
    std::optional<std::uint32_t> responder_delay_nanoseconds;
    std::uint8_t ack_flags = 0;
    Evidence evidence = Evidence::kNone;
    DecidedProbe seen;  // traffic classes and hop limits
  };

  struct Deadline {
    WorkId id;
    core::SteadyTime posted;
  };

  [[nodiscard]] Slot* find(const WorkId& id);
  [[nodiscard]] Slot* find(std::uint32_t session, std::uint32_t sequence);
  void note_bitmap(const Message& ack);
  void note_peer_stall(std::uint32_t target, const Message& ack, core::SteadyTime now);
  void complete_if_done(Slot& slot, core::SteadyTime now);
  void expire_sends(core::SteadyTime now);
  void decide(Slot& slot, core::ProbeOutcome outcome);
  void decide_timed_out(Slot& slot);
  [[nodiscard]] ProbeSample sample_of(const Slot& slot) const;
  [[nodiscard]] bool peer_stalled(const Slot& slot) const;

  std::size_t capacity_;
  ProbeLimits limits_;
  DeviceClock device_clock_;
  std::vector<Slot> slots_;
  std::vector<std::uint16_t> free_;
  std::unordered_map<std::uint32_t, std::vector<std::uint16_t>> by_session_;
  std::unordered_map<std::uint32_t, StallLog> peer_stalls_;  // by target
  StallLog own_stalls_;
  std::deque<Deadline> send_deadlines_;
  std::deque<Deadline> late_deadlines_;
  std::vector<DecidedProbe> decided_;
};

}  // namespace rdmadiag::probes
