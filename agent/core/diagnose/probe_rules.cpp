// What the agent's own probes say of this host's ports. The thresholds are those of the alerts of
// the same names (config/alerts); which leaf or link is to blame only many hosts together can tell:
// core/localise.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

constexpr double kBadPeers = 0.5;
constexpr double kPathLoss = 0.01;
constexpr std::uint64_t kFewestLost = 3;  // one lost probe of thirty seconds is chance
constexpr double kStallShare = 0.05;

struct ProbeView {
  const ProbeSnapshot& now;
  const ProbeSnapshot* before;

  [[nodiscard]] Subject subject() const {
    return {.device = now.device, .port = now.port, .netdev = ""};
  }
};

void check_peers(const ProbeView& view, Report& report) {
  struct Count {
    std::size_t all = 0;
    std::size_t bad = 0;
    std::string first;
  };
  std::map<ProbeScope, Count> scopes;
  for (const ProbePeer& peer : view.now.peers) {
    Count& count = scopes[peer.scope];
    ++count.all;
    if (!peer.bad) continue;
    ++count.bad;
    if (count.first.empty()) count.first = peer.peer;
  }
  if (scopes.empty()) {
    report.could_not_tell("peers-unreachable", view.subject(), "no peer is probed");
    return;
  }
  for (const auto& [scope, count] : scopes) {
    if (static_cast<double>(count.bad) <= kBadPeers * static_cast<double>(count.all)) continue;
    report.add("peers-unreachable", view.subject(),
               fmt::format("{} of {} {} peers do not answer, first {}", count.bad, count.all,
                           probe_scope_name(scope), count.first),
               "at most half");
  }
}

// Peers that answer nothing at all have a finding of their own: their path is not what is lossy.
void check_loss(const ProbeView& view, Report& report) {
  struct Count {
    std::uint64_t sent = 0;
    std::uint64_t lost = 0;
  };
  std::map<std::string, Count> leaves;
  for (const ProbePeer& peer : view.now.peers) {
    if (peer.scope == ProbeScope::kLoopback || peer.sent == 0 || peer.lost >= peer.sent) continue;
    Count& count = leaves[peer.leaf];
    count.sent += peer.sent;
    count.lost += peer.lost;
  }
  if (leaves.empty()) {
    report.could_not_tell("path-loss", view.subject(), "no probe was answered in the last 30 s");
    return;
  }
  for (const auto& [leaf, count] : leaves) {
    const double share = static_cast<double>(count.lost) / static_cast<double>(count.sent);
    if (count.lost < kFewestLost || share <= kPathLoss) continue;
    report.add("path-loss", view.subject(),
               fmt::format("{} of {} probes{} lost in the last 30 s ({} %)", count.lost, count.sent,
                           leaf.empty() ? "" : " to leaf " + leaf, number_text(share * 100)),
               "at most 1 %");
  }
}

void check_stalls(const ProbeView& view, Report& report) {
  constexpr std::string_view kRule = "host-stall";
  if (view.before == nullptr) {
    report.could_not_tell(kRule, view.subject(), "one look gives no rate");
    return;
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < kProbeOutcomeCount; ++i) {
    if (view.now.outcomes[i] < view.before->outcomes[i]) {
      report.could_not_tell(kRule, view.subject(), "probing began anew between the two looks");
      return;
    }
    all += view.now.outcomes[i] - view.before->outcomes[i];
  }
  const auto rise = [&](ProbeOutcome outcome) {
    const auto i = static_cast<std::size_t>(outcome);
    return view.now.outcomes[i] - view.before->outcomes[i];
  };
  const std::uint64_t own = rise(ProbeOutcome::kSelfStall);
  const std::uint64_t peers = rise(ProbeOutcome::kPeerStall);
  if (all == 0) {
    report.could_not_tell(kRule, view.subject(), "no probe was decided between the two looks");
  } else if (static_cast<double>(own + peers) > kStallShare * static_cast<double>(all)) {
    report.add(kRule, view.subject(),
               fmt::format("{} of {} probes met a stalled host: {} this one, {} a peer",
                           own + peers, all, own, peers),
               "at most 5 %");
  }
}

// A connection is only called down when the look before saw it down too: each begins so.
void check_connections(const ProbeView& view, Report& report) {
  constexpr std::string_view kRule = "rc-probe-down";
  if (view.now.rc.peers.empty()) {
    report.could_not_tell(kRule, view.subject(), "no RC connection is kept");
    return;
  }
  if (view.before == nullptr) {
    report.could_not_tell(kRule, view.subject(), "one look does not tell a start from a fault");
    return;
  }
  for (const RcPeer& peer : view.now.rc.peers) {
    if (peer.up) continue;
    const auto& earlier = view.before->rc.peers;
    if (std::none_of(earlier.begin(), earlier.end(),
                     [&](const RcPeer& e) { return e.peer == peer.peer && !e.up; }))
      continue;
    report.add(kRule, view.subject(),
               fmt::format("RC connection to {} is down{}{}", peer.peer,
                           peer.problem.empty() ? "" : ": ", peer.problem),
               "up");
  }
}

void check_rebuilds(const ProbeView& view, Report& report) {
  constexpr std::string_view kRule = "rc-probe-rebuilt";
  constexpr std::array kFaults = {RcRebuildReason::kCompletionError, RcRebuildReason::kQpEvent};
  if (view.before == nullptr) {
    report.could_not_tell(kRule, view.subject(), "one look gives no rate");
    return;
  }
  std::string found;
  for (const RcRebuildReason reason : kFaults) {
    const auto i = static_cast<std::size_t>(reason);
    const std::uint64_t was = view.before->rc.rebuilds[i];
    const std::uint64_t is = view.now.rc.rebuilds[i];
    if (is <= was) continue;
    found += fmt::format("{}{} after {}", found.empty() ? "" : ", ", is - was,
                         rc_rebuild_reason_name(reason));
  }
  if (!found.empty()) report.add(kRule, view.subject(), "connections rebuilt: " + found, "none");
}

const ProbeSnapshot* find_earlier(const Evidence& evidence, const ProbeSnapshot& now) {
  if (evidence.probes_before == nullptr) return nullptr;
  for (const ProbeSnapshot& earlier : *evidence.probes_before) {
    if (earlier.device == now.device && earlier.port == now.port) return &earlier;
  }
  return nullptr;
}

}  // namespace

void check_probes(const Comparison& seen, Report& report) {
  constexpr std::array kRules = {"peers-unreachable", "path-loss", "host-stall", "rc-probe-down",
                                 "rc-probe-rebuilt"};
  if (seen.evidence.probes == nullptr || seen.evidence.probes->empty()) {
    for (const char* rule : kRules)
      report.could_not_tell(rule, Subject{}, "no agent is asked that probes from this host");
    return;
  }
  for (const ProbeSnapshot& now : *seen.evidence.probes) {
    const ProbeView view{now, find_earlier(seen.evidence, now)};
    if (!now.running) {
      for (const char* rule : kRules)
        report.could_not_tell(rule, view.subject(), "it does not probe: " + now.problem);
      continue;
    }
    check_peers(view, report);
    check_loss(view, report);
    check_stalls(view, report);
    check_connections(view, report);
    check_rebuilds(view, report);
  }
}

}  // namespace rdmadiag::core
