// What the decided probes of one RNIC add up to: counters, histograms, who answers, and per path
// and window how many were lost on which way. Decides the cause of each loss from what other labels
// and other targets saw. Pure; not safe for several threads by itself.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/pair_history.h"
#include "agent/core/probe.h"
#include "probes/pending.h"

namespace rdmadiag::probes {

struct TallyTarget {
  std::string peer;
  std::string leaf;
  core::ProbeScope scope = core::ProbeScope::kLeaf;
  std::chrono::nanoseconds interval{0};
};

// What the peer's control channel said when it was last asked.
enum class PeerReachability : std::uint8_t { kUnknown, kAnswers, kRefused, kUnreachable };

class Tally {
 public:
  // `traffic_class`: with which the probes are sent.
  Tally(const core::Clock& clock, std::uint8_t traffic_class)
      : clock_(clock), traffic_class_(traffic_class) {}

  // Adds a target or changes what is known of it.
  void set_target(std::uint32_t id, const TallyTarget& target);
  // With its series; flows to a leaf that has no target left go too.
  void remove_target(std::uint32_t id);
  void set_resolved(std::uint32_t id, bool resolved);
  void set_reachability(std::uint32_t id, PeerReachability reachability);

  void record(const DecidedProbe& probe);
  // A probe that never became one: no address, no handle.
  void record_not_sent(std::uint32_t target);

  // Everything else of a ProbeSnapshot that comes from UD probes.
  void fill(core::ProbeSnapshot& snapshot);
  // The path records, which are many and which only localisation wants.
  void fill_paths(core::ProbeSnapshot& snapshot);
  // The last windows of one peer; empty for one that is not a target.
  [[nodiscard]] core::PairHistory history(std::string_view peer);

 private:
  struct Window {
    std::uint64_t sent = 0;
    std::uint64_t lost = 0;  // by the network or the endpoint
    std::vector<float> rtt_seconds;
    std::uint64_t samples = 0;
    double prober_seconds = 0;  // sums over the samples
    double responder_seconds = 0;
  };
  struct PathCounts {
    std::uint32_t sent = 0;
    std::uint32_t lost_forward = 0;
    std::uint32_t lost_reverse = 0;
    std::uint32_t lost_unknown = 0;
  };
  struct Target {
    TallyTarget about;
    bool resolved = false;
    PeerReachability reachability = PeerReachability::kUnknown;
    core::SteadyTime last_ok{};  // posted; zero before the first
    std::optional<core::SystemTime> last_ok_wall;
    Window complete;  // the last complete window
    std::deque<core::PairWindow> history;
  };
  struct OpenWindow {
    std::map<std::uint32_t, Window> targets;
    std::map<std::pair<std::uint32_t, std::uint32_t>, PathCounts> paths;  // target, label
    int most_hops = -1;
  };

  [[nodiscard]] core::ProbeFlow& flow(const TallyTarget& target);
  [[nodiscard]] core::ProbeHistogram& rtt(core::ProbeScope scope, core::ProbeTimestamps stamps);
  [[nodiscard]] core::LossCause cause(const Target& target, const DecidedProbe& probe) const;
  [[nodiscard]] bool answered_about(const Target& target, core::SteadyTime posted) const;
  [[nodiscard]] std::int64_t window_of(core::SteadyTime posted) const;
  void record_sample(const Target& target, const DecidedProbe& probe, Window& window);
  void record_marks(const DecidedProbe& probe, OpenWindow& open);
  void record_loss(const Target& target, const DecidedProbe& probe);
  void close_windows();
  void close(std::int64_t window, const OpenWindow& open);
  void fill_peers(core::ProbeSnapshot& snapshot) const;

  const core::Clock& clock_;
  std::uint8_t traffic_class_;
  std::map<std::uint32_t, Target> targets_;
  std::vector<core::ProbeFlow> flows_;
  std::vector<core::ProbeRtt> rtt_;
  std::array<std::uint64_t, core::kProbeOutcomeCount> outcomes_{};
  core::ProbeHistogram prober_delay_{core::kDelayBounds};
  core::ProbeHistogram responder_delay_{core::kDelayBounds};
  std::uint64_t invalid_samples_ = 0;
  std::uint64_t ecn_marked_ = 0;
  std::uint64_t dscp_rewritten_ = 0;
  std::optional<int> hops_;
  std::map<std::int64_t, OpenWindow> open_;  // by start
  std::int64_t last_closed_ = 0;
  struct Record {
    std::uint32_t target;
    std::uint32_t label;
    std::int64_t window;
    PathCounts counts;
  };
  std::deque<Record> records_;
};

// Whether a window of a target counts as failing: nothing is lost on a healthy RDMA fabric, so few
// losses are enough, and a verdict needs many targets and two windows anyway.
[[nodiscard]] bool is_bad_window(std::uint64_t sent, std::uint64_t lost);

}  // namespace rdmadiag::probes
