// What active probing found. Few series: never a GID, QPN, label or remote host in an always-on
// series; remote names only in sparse ones, at most kMaxNamedPeers a NIC. What is 0 on a healthy
// fabric begins with its first event. probes::probe_series counts what is written here.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "agent/core/probe.h"
#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::ProbeFlow;
using core::ProbeHistogram;
using core::ProbePeer;
using core::ProbeSnapshot;

constexpr std::size_t kMaxNamedPeers = 8;

// This host's own RNICs have a round-trip time each instead of histograms and counts of peers.
bool is_own_host(core::ProbeScope scope) {
  return scope == core::ProbeScope::kLoopback || scope == core::ProbeScope::kSibling;
}

struct NicView {
  const ProbeSnapshot* probes = nullptr;
  std::string labels;  // device, port, nic, leaf, rail, pod; the last three where they are known
};

std::vector<NicView> nic_views(const core::AgentStatus& agent) {
  std::vector<NicView> views;
  for (const ProbeSnapshot& probes : agent.probes) {
    NicView view{.probes = &probes, .labels = {}};
    append_label(view.labels, "device", probes.device);
    append_label(view.labels, "port", std::to_string(probes.port));
    append_label(view.labels, "nic", probes.nic);
    const auto add = [&](std::string_view name, const std::string& value) {
      if (!value.empty()) append_label(view.labels, name, value);
    };
    add("leaf", probes.leaf);
    add("rail", probes.rail);
    add("pod", probes.pod);
    views.push_back(std::move(view));
  }
  return views;
}

std::string flow_labels(const NicView& nic, const ProbeFlow& flow) {
  std::string labels = nic.labels;
  append_label(labels, "scope", core::probe_scope_name(flow.scope));
  append_label(labels, "dst_leaf", flow.target_leaf);
  append_label(labels, "transport", "ud");
  return labels;
}

std::string rc_labels(const NicView& nic) { return with_label(nic.labels, "transport", "rc"); }

void write_traffic(const std::vector<NicView>& nics, Exposition& out) {
  out.family("rdma_probe_sent_total", FamilyType::kCounter,
             "Probes that were sent and whose fate is known.");
  for (const NicView& nic : nics) {
    for (const ProbeFlow& flow : nic.probes->flows) out.sample(flow_labels(nic, flow), flow.sent);
    if (!nic.probes->rc.peers.empty()) out.sample(rc_labels(nic), nic.probes->rc.sent);
  }
  out.family("rdma_probe_arrived_total", FamilyType::kCounter,
             "Probes that arrived at their target, as ACKs and their bitmaps tell.");
  for (const NicView& nic : nics) {
    for (const ProbeFlow& flow : nic.probes->flows) {
      if (!is_own_host(flow.scope)) out.sample(flow_labels(nic, flow), flow.arrived);
    }
    if (!nic.probes->rc.peers.empty()) out.sample(rc_labels(nic), nic.probes->rc.arrived);
  }
  out.family("rdma_probe_lost_total", FamilyType::kCounter,
             "Probes the network lost, by direction (the ACKs' bitmaps) and cause; a series begins "
             "with its first loss.");
  for (const NicView& nic : nics) {
    for (const ProbeFlow& flow : nic.probes->flows) {
      for (std::size_t dir = 0; dir < core::kLossDirectionCount; ++dir) {
        for (std::size_t cause = 0; cause < core::kLossCauseCount; ++cause) {
          const std::uint64_t lost = flow.lost[dir][cause];
          if (lost == 0) continue;
          std::string labels = flow_labels(nic, flow);
          append_label(labels, "dir",
                       core::loss_direction_name(static_cast<core::LossDirection>(dir)));
          append_label(labels, "cause", core::loss_cause_name(static_cast<core::LossCause>(cause)));
          out.sample(labels, lost);
        }
      }
    }
  }
}

void write_outcomes(const std::vector<NicView>& nics, Exposition& out) {
  out.family(
      "rdma_probe_outcomes_total", FamilyType::kCounter,
      "Probes by their outcome; every probe has exactly one. Outcomes other than ok begin with "
      "their first probe.");
  for (const NicView& nic : nics) {
    for (std::size_t i = 0; i < core::kProbeOutcomeCount; ++i) {
      const auto outcome = static_cast<core::ProbeOutcome>(i);
      if (nic.probes->outcomes[i] == 0 && outcome != core::ProbeOutcome::kOk) continue;
      const auto name = core::probe_outcome_name(outcome);
      out.sample(with_label(nic.labels, "outcome", name), nic.probes->outcomes[i]);
    }
  }
  out.family("rdma_probe_invalid_samples_total", FamilyType::kCounter,
             "Impossible round-trip times or delays, dropped from the histograms.");
  for (const NicView& nic : nics) {
    if (nic.probes->invalid_samples > 0) out.sample(nic.labels, nic.probes->invalid_samples);
  }
}

void write_times(const std::vector<NicView>& nics, Exposition& out) {
  out.family("rdma_probe_rtt_seconds", FamilyType::kHistogram,
             "Round-trip time of the network alone, without prober and responder; ts says whose "
             "clocks.");
  for (const NicView& nic : nics) {
    for (const core::ProbeRtt& rtt : nic.probes->rtt) {
      if (is_own_host(rtt.scope)) continue;
      std::string labels = nic.labels;
      append_label(labels, "scope", core::probe_scope_name(rtt.scope));
      append_label(labels, "ts", core::probe_timestamps_name(rtt.timestamps));
      out.histogram(labels, rtt.network.bounds(), rtt.network.counts(), rtt.network.sum());
    }
  }
  const auto delay = [&](std::string_view name, std::string_view help,
                         const ProbeHistogram ProbeSnapshot::*which) {
    out.family(name, FamilyType::kHistogram, help);
    for (const NicView& nic : nics) {
      const ProbeHistogram& histogram = nic.probes->*which;
      out.histogram(nic.labels, histogram.bounds(), histogram.counts(), histogram.sum());
    }
  };
  delay("rdma_probe_prober_delay_seconds", "Time a probe spent in this host.",
        &ProbeSnapshot::prober_delay);
  delay("rdma_probe_responder_delay_seconds", "Time a probe spent in the peer, as the peer says.",
        &ProbeSnapshot::responder_delay);
}

void write_path(const std::vector<NicView>& nics, Exposition& out) {
  out.family("rdma_probe_ecn_marked_total", FamilyType::kCounter,
             "Probes and ACKs that a switch marked congested (TOS of the received packet).");
  for (const NicView& nic : nics) out.sample(nic.labels, nic.probes->ecn_marked);
  out.family(
      "rdma_probe_dscp_rewritten_total", FamilyType::kCounter,
      "Probes that arrived with another DSCP than they were sent with: what was measured is not "
      "the class that was asked for. Begins with the first.");
  for (const NicView& nic : nics) {
    if (nic.probes->dscp_rewritten > 0) out.sample(nic.labels, nic.probes->dscp_rewritten);
  }
  out.family("rdma_probe_hops", FamilyType::kGauge,
             "Most hops of a probe in the last window (TTL of the received packet).");
  for (const NicView& nic : nics) {
    if (nic.probes->hops) out.sample(nic.labels, *nic.probes->hops);
  }
  out.family("rdma_probe_rate_factor", FamilyType::kGauge,
             "Share of the configured rate that self-protection allows now.");
  for (const NicView& nic : nics) out.sample(nic.labels, nic.probes->rate_factor);
}

template <class Value>
void write_scopes(const std::vector<NicView>& nics, Exposition& out, const Value& value) {
  for (const NicView& nic : nics) {
    std::map<core::ProbeScope, std::uint64_t> totals;
    for (const ProbePeer& peer : nic.probes->peers) {
      if (!is_own_host(peer.scope)) totals[peer.scope] += value(peer);
    }
    for (const auto& [scope, total] : totals) {
      out.sample(with_label(nic.labels, "scope", core::probe_scope_name(scope)), total);
    }
  }
}

std::string peer_labels(const NicView& nic, const ProbePeer& peer) {
  std::string labels = nic.labels;
  append_label(labels, "scope", core::probe_scope_name(peer.scope));
  append_label(labels, "peer", peer.peer);
  return labels;
}

void write_peers(const std::vector<NicView>& nics, bool per_peer, Exposition& out) {
  out.family("rdma_probe_peers", FamilyType::kGauge, "Peers that are probed.");
  write_scopes(nics, out, [](const ProbePeer&) { return std::uint64_t{1}; });
  out.family("rdma_probe_peers_bad", FamilyType::kGauge,
             "Peers that lost probes in the last window of 30 s.");
  write_scopes(nics, out, [](const ProbePeer& peer) { return std::uint64_t{peer.bad}; });

  out.family("rdma_probe_bad_peer", FamilyType::kGauge,
             "A peer that lost probes in the last window; at most 8 a NIC.");
  for (const NicView& nic : nics) {
    std::size_t named = 0;
    for (const ProbePeer& peer : nic.probes->peers) {
      if (peer.bad && named++ < kMaxNamedPeers) out.sample(peer_labels(nic, peer), 1);
    }
  }
  out.family("rdma_probe_bad_peer_truncated", FamilyType::kGauge,
             "1 when more peers are bad than rdma_probe_bad_peer names.");
  for (const NicView& nic : nics) {
    const auto bad = std::count_if(nic.probes->peers.begin(), nic.probes->peers.end(),
                                   [](const ProbePeer& peer) { return peer.bad; });
    out.sample(nic.labels, bad > static_cast<std::ptrdiff_t>(kMaxNamedPeers) ? 1 : 0);
  }
  out.family("rdma_probe_peer_rtt_seconds", FamilyType::kGauge,
             "Median round-trip time in the last window: to this host's own NICs, and in small "
             "meshes to every peer.");
  for (const NicView& nic : nics) {
    for (const ProbePeer& peer : nic.probes->peers) {
      if (peer.rtt_p50_seconds && (per_peer || is_own_host(peer.scope)))
        out.sample(peer_labels(nic, peer), *peer.rtt_p50_seconds);
    }
  }
  if (!per_peer) return;
  out.family("rdma_probe_peer_loss_ratio", FamilyType::kGauge,
             "Share of the probes to the peer lost in the last window (small meshes only).");
  for (const NicView& nic : nics) {
    for (const ProbePeer& peer : nic.probes->peers) {
      if (peer.sent == 0) continue;
      out.sample(peer_labels(nic, peer),
                 static_cast<double>(peer.lost) / static_cast<double>(peer.sent));
    }
  }
}

void write_rc(const std::vector<NicView>& nics, Exposition& out) {
  out.family("rdma_rc_probe_up", FamilyType::kGauge,
             "1 while the persistent RC connection to the peer works; at most 8 a NIC.");
  for (const NicView& nic : nics) {
    for (const core::RcPeer& peer : nic.probes->rc.peers) {
      out.sample(with_label(nic.labels, "peer", peer.peer), peer.up ? 1 : 0);
    }
  }
  out.family("rdma_rc_probe_rebuilds_total", FamilyType::kCounter,
             "RC connections made anew, by reason.");
  for (const NicView& nic : nics) {
    if (nic.probes->rc.peers.empty()) continue;
    for (std::size_t i = 0; i < core::kRcRebuildReasonCount; ++i) {
      if (nic.probes->rc.rebuilds[i] == 0) continue;
      const auto reason = core::rc_rebuild_reason_name(static_cast<core::RcRebuildReason>(i));
      out.sample(with_label(nic.labels, "reason", reason), nic.probes->rc.rebuilds[i]);
    }
  }
  out.family("rdma_rc_probe_down_seconds_total", FamilyType::kCounter,
             "Time RC connections that should work were down, summed over the connections.");
  for (const NicView& nic : nics) {
    if (!nic.probes->rc.peers.empty()) out.sample(nic.labels, nic.probes->rc.down_seconds);
  }
  out.family("rdma_rc_probe_rtt_seconds", FamilyType::kHistogram,
             "Time until the peer's NIC acknowledged; a retransmission shows near k times 67 ms.");
  for (const NicView& nic : nics) {
    const ProbeHistogram& rtt = nic.probes->rc.rtt;
    if (nic.probes->rc.peers.empty()) continue;
    out.histogram(nic.labels, rtt.bounds(), rtt.counts(), rtt.sum());
  }
}

void write_responder(const std::vector<NicView>& nics, Exposition& out) {
  out.family("rdma_probe_responses_total", FamilyType::kCounter,
             "What the responder did with the messages it received.");
  for (const NicView& nic : nics) {
    const core::ResponderCounts& counts = nic.probes->responder;
    std::uint64_t rejected = counts.malformed_header;
    for (const std::uint64_t fault : counts.rejected) rejected += fault;
    const std::array<std::pair<std::string_view, std::uint64_t>, 6> results = {{
        {"ack", counts.acks},
        {"stale", counts.stale},
        {"replayed", counts.replayed},
        {"rate_limited", counts.rate_limited},
        {"send_failed", counts.send_failed},
        {"rejected", rejected},
    }};
    for (const auto& [result, count] : results) {
      if (count > 0 || result == "ack") {
        out.sample(with_label(nic.labels, "result", result), count);
      }
    }
  }
}

}  // namespace

void write_probe_families(const HostView& view, Exposition& out) {
  if (view.agent.probes.empty() || !view.wants(core::Source::kProbe)) return;
  const std::vector<NicView> nics = nic_views(view.agent);
  write_traffic(nics, out);
  write_outcomes(nics, out);
  write_times(nics, out);
  write_path(nics, out);
  write_peers(nics, view.options.per_peer_series, out);
  write_rc(nics, out);
  write_responder(nics, out);
}

}  // namespace rdmadiag::exporters
