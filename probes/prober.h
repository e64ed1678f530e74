// Sends probes to its targets, each at its time and with its labels in turn, and tells the tally
// what became of them. An asynchronous state machine over a UdTransport; it never waits. One thread
// uses it, except for what says otherwise.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/pending.h"
#include "probes/probe_key.h"
#include "probes/random.h"
#include "probes/schedule.h"
#include "probes/tally.h"
#include "probes/token_bucket.h"
#include "probes/ud_transport.h"

namespace rdmadiag::probes {

// Where a target's responder listens, as its control channel says.
struct PeerEndpoint {
  UdAddress address;
  std::uint32_t epoch = 0;
};

struct ProbeTarget {
  std::string peer;  // "host/device"
  std::string leaf;
  core::ProbeScope scope = core::ProbeScope::kLeaf;
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::uint64_t hash = 0;  // of the pair: phase and labels
  bool own_host = false;   // signed with the local key
  std::uint64_t most = 0;  // probes in all; 0: without an end
};

struct ProberOptions {
  std::uint32_t epoch = 0;
  ProbeLimits limits;
  std::uint32_t labels = 8;        // for each target
  std::uint8_t traffic_class = 0;  // DSCP << 2 | ECN
  double max_rate = 200;           // probes a second, whatever the targets ask for
  std::size_t capacity = 4096;
};

class Prober final : public UdEvents {
 public:
  Prober(const ProberOptions& options, std::shared_ptr<const KeyRing> keys, RandomSource random,
         const core::Clock& clock);

  // The queue pairs to probe from; null when there are none. Not owned. Whatever is on its way is
  // discarded.
  void attach(UdTransport* transport);
  void set_keys(std::shared_ptr<const KeyRing> keys) { keys_ = std::move(keys); }
  // Exactly these from now on. Those that stay keep their state.
  void set_targets(const std::vector<ProbeTarget>& targets);
  // What a look-up of `peer` found. Without an endpoint the old one stays.
  void set_peer(const std::string& peer, const std::optional<PeerEndpoint>& endpoint,
                PeerReachability reachability);
  void set_rate_factor(double factor);
  // The loop did not run meanwhile.
  void loop_stalled(core::SteadyTime from, core::SteadyTime to);

  void sent(const WorkId& id, bool success, const Tick& tick) override;
  void received(const UdArrival& arrival) override;
  void received_malformed() override {}

  // Sends what is due, decides what has timed out. True when something was sent.
  bool work();
  [[nodiscard]] std::optional<core::SteadyTime> next_wakeup();
  // Whether an answer is awaited whose time to arrive a stall of the loop would falsify.
  [[nodiscard]] bool awaits_answers() const { return pending_.size() > 0; }
  // Peers to look up: restarted, or silent for three probes in a row.
  [[nodiscard]] std::vector<std::string> take_lookups();
  // Peers that answer again after three probes in a row without an answer.
  [[nodiscard]] std::vector<std::string> take_recovered();
  // Every decided probe, for the one who pings; empty unless asked for by keep_decided.
  [[nodiscard]] std::vector<DecidedProbe> take_kept() { return std::exchange(kept_, {}); }
  void keep_decided() { keeps_decided_ = true; }

  // Any thread.
  void fill(core::ProbeSnapshot& snapshot) const;
  void fill_paths(core::ProbeSnapshot& snapshot) const;
  [[nodiscard]] core::PairHistory history(std::string_view peer) const;

 private:
  struct Session {
    std::uint32_t id = 0;
    std::uint32_t next_sequence = 0;
  };
  struct Target {
    ProbeTarget about;
    std::optional<PeerEndpoint> endpoint;
    std::vector<Session> sessions;  // one for each queue pair
    std::uint32_t next_label = 0;
    std::uint64_t posted = 0;
    std::uint32_t unanswered = 0;              // since its last ACK
    std::array<core::SteadyTime, 3> silent{};  // when the first three of them were sent
    bool lookup_wanted = false;
    bool fell_silent = false;  // a look-up in between changes nothing about that
  };
  using Key = std::pair<core::ProbeScope, std::string>;

  void add_target(const Key& key, const ProbeTarget& about);
  void remove_target(const Key& key);
  void forget_sessions(Target& target);
  void start_sessions(std::uint32_t id, Target& target);
  void send_probe(std::uint32_t id, Target& target);
  void post(std::uint32_t id, Target& target, const ProbeKey& key);
  void note_answer(Target& target);
  void note_silence(Target& target, core::SteadyTime now);
  void want_lookup(Target& target);
  void record_decided();
  [[nodiscard]] std::optional<ProbeKey> key_for(const Target& target) const;
  [[nodiscard]] Target* target_of_session(std::uint32_t session);

  ProberOptions options_;
  std::shared_ptr<const KeyRing> keys_;
  RandomSource random_;
  const core::Clock& clock_;
  UdTransport* transport_ = nullptr;
  PendingProbes pending_;
  ProbeSchedule schedule_;
  TokenBucket bucket_;
  std::map<Key, std::uint32_t> ids_;
  std::unordered_map<std::uint32_t, Target> targets_;
  std::unordered_map<std::uint32_t, std::uint32_t> session_target_;
  std::uint32_t next_id_ = 1;
  std::vector<std::string> lookups_;
  std::vector<std::string> recovered_;
  bool keeps_decided_ = false;
  std::vector<DecidedProbe> kept_;
  mutable std::mutex tally_lock_;  // never held across a verbs call
  mutable Tally tally_;
};

}  // namespace rdmadiag::probes
