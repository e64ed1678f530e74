// What active probing found, as plain data: filled by probes/, read by the exporters, the diagnosis
// and the CLI. One ProbeSnapshot per RNIC; immutable once published.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"

namespace rdmadiag::core {

// Why a target is probed.
enum class ProbeScope : std::uint8_t { kLeaf, kFabric, kRail, kSibling, kLoopback, kManual };
inline constexpr std::size_t kProbeScopeCount = 6;
[[nodiscard]] std::string_view probe_scope_name(ProbeScope scope);
[[nodiscard]] std::optional<ProbeScope> parse_probe_scope(std::string_view name);

// Every probe ends in exactly one of these (probing.md §5). Only the kLost… ones and half of
// kOkNoAck2 are losses of the network; kSelfStall and kStale are discarded.
enum class ProbeOutcome : std::uint8_t {
  kOk,
  kOkNoAck2,
  kLate,
  kLostForward,
  kLostReverse,
  kLostUnknown,
  kLocalTx,
  kSelfStall,
  kPeerStall,
  kStale,
  kNotSent,
};
inline constexpr std::size_t kProbeOutcomeCount = 11;
[[nodiscard]] std::string_view probe_outcome_name(ProbeOutcome outcome);

enum class LossDirection : std::uint8_t { kForward, kReverse, kUnknown };
inline constexpr std::size_t kLossDirectionCount = 3;
[[nodiscard]] std::string_view loss_direction_name(LossDirection direction);

enum class LossCause : std::uint8_t { kEndpoint, kPath, kHost };
inline constexpr std::size_t kLossCauseCount = 3;
[[nodiscard]] std::string_view loss_cause_name(LossCause cause);

// Which clocks an RTT was measured with; never aggregated together.
enum class ProbeTimestamps : std::uint8_t { kHardware, kSoftware, kMixed };
inline constexpr std::size_t kProbeTimestampsCount = 3;
[[nodiscard]] std::string_view probe_timestamps_name(ProbeTimestamps timestamps);

// Upper bounds in seconds. Few, because every bucket is a series on every RNIC of a cluster.
inline constexpr std::array<double, 6> kRttBounds = {5e-6, 10e-6, 25e-6, 100e-6, 1e-3, 100e-3};
inline constexpr std::array<double, 2> kDelayBounds = {100e-6, 10e-3};
// A retransmission of the NIC shows at k × 67 ms (local ACK timeout 14).
inline constexpr std::array<double, 7> kRcRttBounds = {25e-6,  1e-3,   10e-3, 50e-3,
                                                       100e-3, 300e-3, 600e-3};

class ProbeHistogram {
 public:
  // `bounds` ascending, with static lifetime.
  explicit ProbeHistogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double seconds);
  [[nodiscard]] std::span<const double> bounds() const { return bounds_; }
  // Per bucket, not cumulative; the last is above every bound.
  [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

// Probes of one scope towards one leaf, decided ones only, so that lost never exceeds sent.
struct ProbeFlow {
  ProbeScope scope = ProbeScope::kLeaf;
  std::string target_leaf;  // empty when peers carry no leaf label
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;  // at the target, as far as ACKs and their bitmaps tell
  std::array<std::array<std::uint64_t, kLossCauseCount>, kLossDirectionCount> lost{};
};

struct ProbeRtt {
  ProbeScope scope = ProbeScope::kLeaf;
  ProbeTimestamps timestamps = ProbeTimestamps::kSoftware;
  ProbeHistogram network{kRttBounds};
};

// One target over the last complete window of 30 s.
struct ProbePeer {
  std::string peer;  // "host/device"
  std::string leaf;
  ProbeScope scope = ProbeScope::kLeaf;
  bool resolved = false;  // its QPN and GID are known
  bool bad = false;       // counted in peers_bad
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::optional<double> rtt_p50_seconds;
  std::optional<double> rtt_max_seconds;
  std::optional<SystemTime> last_ok;
};

// One target and flow label over one window: the input of localisation.
struct PathRecord {
  std::uint32_t peer = 0;  // index into ProbeSnapshot::path_peers
  std::uint32_t label = 0;
  std::int64_t window_start = 0;  // Unix seconds, a multiple of the window length
  std::uint32_t sent = 0;
  std::uint32_t lost_forward = 0;
  std::uint32_t lost_reverse = 0;
  std::uint32_t lost_unknown = 0;
};
inline constexpr std::chrono::seconds kProbeWindow{30};

struct RcPeer {
  std::string peer;
  bool up = false;
  std::string problem;  // why it is down; empty when up
  std::optional<double> last_rtt_seconds;
};

// Why an RC connection was rebuilt.
enum class RcRebuildReason : std::uint8_t { kCompletionError, kQpEvent, kPortUp, kPeerRestarted };
inline constexpr std::size_t kRcRebuildReasonCount = 4;
[[nodiscard]] std::string_view rc_rebuild_reason_name(RcRebuildReason reason);

struct RcProbes {
  std::vector<RcPeer> peers;
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::array<std::uint64_t, kRcRebuildReasonCount> rebuilds{};
  double down_seconds = 0;  // summed over the connections that should be up
  ProbeHistogram rtt{kRcRttBounds};
};

// What the responder did with what it received.
struct ResponderCounts {
  std::uint64_t probes = 0;
  std::uint64_t acks = 0;
  std::uint64_t stale = 0;
  std::uint64_t replayed = 0;
  std::uint64_t rate_limited = 0;
  std::uint64_t send_failed = 0;
  std::array<std::uint64_t, 6> rejected{};  // by probes::DecodeFault
  std::uint64_t malformed_header = 0;
};

struct ProbeSnapshot {
  std::string device;
  std::uint32_t port = 1;
  std::string nic;  // "host/device"
  std::string leaf;
  std::string rail;
  std::string pod;
  bool running = false;
  std::string problem;  // why it is not running, or what is wrong although it is

  std::vector<ProbeFlow> flows;
  std::array<std::uint64_t, kProbeOutcomeCount> outcomes{};
  std::uint64_t invalid_samples = 0;  // impossible RTTs or delays, dropped from the histograms
  std::vector<ProbeRtt> rtt;
  ProbeHistogram prober_delay{kDelayBounds};
  ProbeHistogram responder_delay{kDelayBounds};
  std::uint64_t ecn_marked = 0;
  std::uint64_t dscp_rewritten = 0;  // arrived with another DSCP than they were sent with
  std::optional<int> hops;           // the most seen in the last window
  double rate_factor = 1;

  std::vector<ProbePeer> peers;
  std::vector<std::string> path_peers;
  std::vector<PathRecord> paths;
  RcProbes rc;
  ResponderCounts responder;
  SystemTime taken_at{};
};

}  // namespace rdmadiag::core
