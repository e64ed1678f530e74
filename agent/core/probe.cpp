#include "agent/core/probe.h"

#include <algorithm>
#include <numeric>

namespace rdmadiag::core {
namespace {

template <std::size_t N, class Enum>
std::string_view word(const std::array<std::string_view, N>& words, Enum value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? words[index] : std::string_view("unknown");
}

constexpr std::array<std::string_view, kProbeScopeCount> kScopes = {
    "leaf", "fabric", "rail", "sibling", "loopback", "manual"};
constexpr std::array<std::string_view, kProbeOutcomeCount> kOutcomes = {
    "ok",       "ok_no_ack2", "late",       "lost_fwd", "lost_rev", "lost_unknown",
    "local_tx", "self_stall", "peer_stall", "stale",    "not_sent"};
constexpr std::array<std::string_view, kLossDirectionCount> kDirections = {"fwd", "rev", "unknown"};
constexpr std::array<std::string_view, kLossCauseCount> kCauses = {"endpoint", "path", "host"};
constexpr std::array<std::string_view, kProbeTimestampsCount> kTimestamps = {"hw", "sw", "mixed"};
constexpr std::array<std::string_view, kRcRebuildReasonCount> kRebuildReasons = {
    "completion_error", "qp_event", "port_up", "peer_restarted"};

}  // namespace

std::string_view probe_scope_name(ProbeScope scope) { return word(kScopes, scope); }
std::string_view probe_outcome_name(ProbeOutcome outcome) { return word(kOutcomes, outcome); }
std::string_view loss_direction_name(LossDirection direction) {
  return word(kDirections, direction);
}
std::string_view loss_cause_name(LossCause cause) { return word(kCauses, cause); }
std::string_view probe_timestamps_name(ProbeTimestamps timestamps) {
  return word(kTimestamps, timestamps);
}
std::string_view rc_rebuild_reason_name(RcRebuildReason reason) {
  return word(kRebuildReasons, reason);
}

std::optional<ProbeScope> parse_probe_scope(std::string_view name) {
  const auto found = std::ranges::find(kScopes, name);
  if (found == kScopes.end()) return std::nullopt;
  return static_cast<ProbeScope>(found - kScopes.begin());
}

void ProbeHistogram::observe(double seconds) {
  const auto bucket = std::ranges::lower_bound(bounds_, seconds) - bounds_.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  sum_ += seconds;
}

std::uint64_t ProbeHistogram::count() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace rdmadiag::core
