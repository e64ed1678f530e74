#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "agent/core/probe.h"
#include "exporters/prometheus.h"
#include "probes/plan.h"
#include "tests/support/golden.h"

using namespace rdmadiag;
using core::LossCause;
using core::LossDirection;
using core::ProbeScope;

namespace {

core::ProbeSnapshot probed_nic() {
  core::ProbeSnapshot nic;
  nic.device = "mlx5_0";
  nic.nic = "node1/mlx5_0";
  nic.leaf = "leaf-1";
  nic.running = true;
  core::ProbeFlow flow;
  flow.scope = ProbeScope::kFabric;
  flow.target_leaf = "leaf-2";
  flow.sent = 100;
  flow.arrived = 97;
  flow.lost[static_cast<std::size_t>(LossDirection::kForward)]
           [static_cast<std::size_t>(LossCause::kPath)] = 3;
  nic.flows.push_back(flow);
  nic.outcomes[static_cast<std::size_t>(core::ProbeOutcome::kOk)] = 96;
  nic.outcomes[static_cast<std::size_t>(core::ProbeOutcome::kLostForward)] = 3;
  nic.outcomes[static_cast<std::size_t>(core::ProbeOutcome::kLate)] = 1;
  core::ProbeRtt rtt;
  rtt.scope = ProbeScope::kFabric;
  rtt.timestamps = core::ProbeTimestamps::kHardware;
  for (const double seconds : {4e-6, 6e-6, 7e-6, 0.2}) rtt.network.observe(seconds);
  nic.rtt.push_back(rtt);
  nic.hops = 3;
  for (int i = 0; i < 10; ++i) {
    core::ProbePeer peer;
    peer.peer = "node" + std::to_string(i) + "/mlx5_0";
    peer.leaf = "leaf-2";
    peer.scope = ProbeScope::kFabric;
    peer.bad = i < 9;
    peer.sent = 20;
    peer.lost = i < 9 ? 5 : 0;
    peer.rtt_p50_seconds = 6e-6;
    nic.peers.push_back(peer);
  }
  core::RcPeer rc;
  rc.peer = "node2/mlx5_0";
  rc.up = true;
  nic.rc.peers.push_back(rc);
  nic.rc.sent = 50;
  nic.rc.arrived = 49;
  nic.rc.rtt.observe(0.067);
  nic.responder.acks = 12;
  nic.responder.rejected[0] = 2;
  nic.responder.malformed_header = 1;
  return nic;
}

std::string render(const core::ProbeSnapshot& nic, bool per_peer = false) {
  core::AgentStatus agent;
  agent.probes.push_back(nic);
  exporters::MetricsOptions options;
  options.per_peer_series = per_peer;
  options.sources.set(static_cast<std::size_t>(core::Source::kProbe));
  std::string out;
  exporters::render_prometheus(core::HostSnapshot{}, agent, options, out);
  return out;
}

std::size_t samples_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    count += line.starts_with(name + "{") ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("the series of a probed NIC are as documented") {
  CHECK(test::golden_difference("probes/metrics.prom", render(probed_nic(), true)) == "");
}

TEST_CASE("remote names are bounded, and say when they are cut") {
  const std::string text = render(probed_nic());
  CHECK(samples_of(text, "rdma_probe_bad_peer") == 8);
  const std::string truncated =
      "rdma_probe_bad_peer_truncated{device=\"mlx5_0\",port=\"1\",nic=\"node1/mlx5_0\","
      "leaf=\"leaf-1\"} ";
  CHECK(text.find(truncated + "1\n") != std::string::npos);
  CHECK(samples_of(text, "rdma_probe_peer_rtt_seconds") == 0);

  core::ProbeSnapshot few = probed_nic();
  few.peers.resize(8);
  CHECK(render(few).find(truncated + "0\n") != std::string::npos);
  CHECK(samples_of(render(few), "rdma_probe_bad_peer") == 8);
}

TEST_CASE("what is not there on a healthy fabric begins with its first event") {
  core::ProbeSnapshot healthy = probed_nic();
  healthy.flows.front().lost = {};
  healthy.outcomes = {};
  healthy.responder = {};
  const std::string text = render(healthy);
  CHECK(samples_of(text, "rdma_probe_lost_total") == 0);
  CHECK(samples_of(text, "rdma_probe_outcomes_total") == 1);
  CHECK(text.find("outcome=\"ok\"} 0\n") != std::string::npos);
  CHECK(samples_of(text, "rdma_probe_responses_total") == 1);
  CHECK(text.find("result=\"ack\"} 0\n") != std::string::npos);
  CHECK(samples_of(text, "rdma_rc_probe_rebuilds_total") == 0);
  const std::string ill = render(probed_nic());
  CHECK(samples_of(ill, "rdma_probe_lost_total") == 1);
  CHECK(samples_of(ill, "rdma_probe_outcomes_total") == 3);
}

TEST_CASE("this host's own NICs have a round-trip time each and no histogram") {
  core::ProbeSnapshot nic = probed_nic();
  nic.peers.resize(1);
  nic.peers.front().scope = ProbeScope::kSibling;
  nic.rtt.front().scope = ProbeScope::kSibling;
  const std::string text = render(nic);
  CHECK(samples_of(text, "rdma_probe_peer_rtt_seconds") == 1);
  CHECK(samples_of(text, "rdma_probe_rtt_seconds_count") == 0);
  CHECK(samples_of(text, "rdma_probe_peers") == 0);
}

TEST_CASE("histogram buckets are cumulative and end with everything") {
  const std::string text = render(probed_nic());
  const std::string labels =
      "device=\"mlx5_0\",port=\"1\",nic=\"node1/"
      "mlx5_0\",leaf=\"leaf-1\",scope=\"fabric\",ts=\"hw\"";
  const auto has = [&](const std::string& line) { return text.find(line) != std::string::npos; };
  CHECK(has("rdma_probe_rtt_seconds_bucket{" + labels + ",le=\"5e-06\"} 1\n"));
  CHECK(has("rdma_probe_rtt_seconds_bucket{" + labels + ",le=\"1e-05\"} 3\n"));
  CHECK(has("rdma_probe_rtt_seconds_bucket{" + labels + ",le=\"0.1\"} 3\n"));
  CHECK(has("rdma_probe_rtt_seconds_bucket{" + labels + ",le=\"+Inf\"} 4\n"));
  CHECK(has("rdma_probe_rtt_seconds_count{" + labels + "} 4\n"));
}

TEST_CASE("an agent that does not probe has no probe series") {
  std::string out;
  exporters::render_prometheus(core::HostSnapshot{}, core::AgentStatus{}, {}, out);
  CHECK(out.find("rdma_probe") == std::string::npos);
}

TEST_CASE("one NIC at full size has the series that the plan counts, 80 at most") {
  constexpr std::uint32_t kLeaves = 8;
  constexpr std::uint32_t kRnics = 8;
  core::ProbeSnapshot nic = probed_nic();
  nic.flows.clear();
  nic.outcomes = {};
  nic.responder = {};
  nic.rc.peers.front().peer = "only/one";
  for (std::uint32_t leaf = 0; leaf <= kLeaves; ++leaf) {
    core::ProbeFlow flow;
    flow.scope = leaf == 0 ? ProbeScope::kLeaf : ProbeScope::kFabric;
    flow.target_leaf = "leaf-" + std::to_string(leaf);
    nic.flows.push_back(flow);
  }
  core::ProbePeer peer = nic.peers.front();
  peer.bad = false;
  nic.peers.clear();
  const core::ProbeRtt rtt = nic.rtt.front();
  nic.rtt.clear();
  for (const ProbeScope scope :
       {ProbeScope::kLeaf, ProbeScope::kFabric, ProbeScope::kLoopback, ProbeScope::kSibling}) {
    nic.rtt.push_back(rtt);
    nic.rtt.back().scope = scope;
    peer.scope = scope;
    nic.peers.push_back(peer);
  }
  for (std::uint32_t sibling = 2; sibling < kRnics; ++sibling) nic.peers.push_back(peer);
  for (const ProbeScope scope : {ProbeScope::kLoopback, ProbeScope::kSibling}) {
    nic.flows.emplace_back();
    nic.flows.back().scope = scope;
  }
  std::istringstream lines(render(nic));
  std::size_t series = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool probes = line.starts_with("rdma_probe") || line.starts_with("rdma_rc_probe");
    if (probes && !line.starts_with("rdma_rc_probe_up")) ++series;
  }
  CHECK(series == probes::probe_series(kLeaves, kRnics));
  CHECK(series <= 80);
}
