// A mesh of two agents, n1 and n2, as each of them tells it.
#pragma once

#include "agent/core/mesh.h"

namespace rdmadiag::test {

// Everything that n1 says is set to something. n3 is known and does not answer.
inline core::MeshReport example_report() {
  using std::chrono::seconds;
  const core::SystemTime now{seconds(1'767'225'600)};
  core::MeshReport report;
  report.host = "n1";
  report.taken_at = now;
  report.sources = {{"file_sd /etc/peers.json", true, "", 3, now - seconds(4)},
                    {"dns_sd rdma.example", false, "no such name", 0, std::nullopt}};
  report.agents = {{"n1",
                    "n1:10915",
                    "n1",
                    "a",
                    "0",
                    "p",
                    true,
                    core::AgentState::kAnswers,
                    "",
                    {},
                    {"n1/rxe0"}},
                   {"n2",
                    "n2:10915",
                    "n2",
                    "b",
                    "0",
                    "p",
                    false,
                    core::AgentState::kAnswers,
                    "",
                    now - seconds(9),
                    {"n2/rxe0"}},
                   {"n3",
                    "n3:10915",
                    "",
                    "b",
                    "",
                    "",
                    false,
                    core::AgentState::kUnreachable,
                    "timed out",
                    {},
                    {}}};
  core::ProbeSnapshot rnic;
  rnic.device = "rxe0";
  rnic.nic = "n1/rxe0";
  rnic.leaf = "a";
  rnic.rail = "0";
  rnic.pod = "p";
  rnic.running = true;
  rnic.problem = "slow";
  rnic.rate_factor = 0.5;
  rnic.ecn_marked = 7;
  rnic.dscp_rewritten = 2;
  rnic.hops = 3;
  rnic.outcomes[0] = 100;
  rnic.outcomes[3] = 5;
  rnic.peers = {{.peer = "n1/rxe0",
                 .leaf = "a",
                 .scope = core::ProbeScope::kLoopback,
                 .resolved = true,
                 .sent = 3,
                 .rtt_p50_seconds = 2e-6,
                 .rtt_max_seconds = 3e-6,
                 .last_ok = now},
                {.peer = "n2/rxe0",
                 .leaf = "b",
                 .scope = core::ProbeScope::kFabric,
                 .resolved = true,
                 .bad = true,
                 .sent = 200,
                 .lost = 5,
                 .rtt_p50_seconds = 12.5e-6,
                 .rtt_max_seconds = 80e-6,
                 .last_ok = now - seconds(1)}};
  rnic.path_peers = {"n2/rxe0"};
  rnic.paths = {{.peer = 0,
                 .label = 77,
                 .window_start = 1'767'225'570,
                 .sent = 200,
                 .lost_forward = 3,
                 .lost_reverse = 1,
                 .lost_unknown = 1}};
  rnic.rc.peers = {{"n2/rxe0", true, "", 30e-6}, {"n3/rxe0", false, "no answer", {}}};
  rnic.rc.sent = 60;
  rnic.rc.arrived = 59;
  rnic.rc.down_seconds = 1.5;
  rnic.rc.rebuilds[1] = 2;
  report.probes = {rnic};
  return report;
}

// n2 sees n1 and loses nothing.
inline core::MeshReport other_report() {
  core::MeshReport report = example_report();
  report.host = "n2";
  report.agents[0].is_self = false;
  report.agents[1].is_self = true;
  core::ProbeSnapshot& rnic = report.probes[0];
  rnic.nic = "n2/rxe0";
  rnic.leaf = "b";
  rnic.path_peers = {"n1/rxe0"};
  rnic.paths[0].lost_forward = rnic.paths[0].lost_reverse = rnic.paths[0].lost_unknown = 0;
  rnic.peers.erase(rnic.peers.begin());
  core::ProbePeer& peer = rnic.peers[0];
  peer.peer = "n1/rxe0";
  peer.leaf = "a";
  peer.bad = false;
  peer.lost = 0;
  return report;
}

}  // namespace rdmadiag::test
