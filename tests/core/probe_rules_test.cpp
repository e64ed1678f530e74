// What the agent's probes say of this host, as the diagnosis tells it.
#include <catch2/catch.hpp>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

ProbePeer peer(const std::string& name, std::uint64_t sent, std::uint64_t lost) {
  ProbePeer out;
  out.peer = name;
  out.leaf = "leaf-2";
  out.resolved = true;
  out.sent = sent;
  out.lost = lost;
  return out;
}

// A healthy host that probes two peers and keeps an RC connection to one.
struct Probing {
  Probing() {
    ProbeSnapshot probes;
    probes.device = "mlx5_0";
    probes.running = true;
    probes.peers = {peer("b/mlx5_0", 300, 0), peer("c/mlx5_0", 300, 0)};
    probes.rc.peers.push_back({"b/mlx5_0", true, "", {}});
    before.push_back(probes);
    probes.outcomes[0] = 1000;
    now.push_back(probes);
  }

  TwoLooks looks;
  std::vector<ProbeSnapshot> before;
  std::vector<ProbeSnapshot> now;

  Diagnosis diagnose(bool first_look = false) {
    static_cast<void>(looks.diagnose());
    return rdmadiag::core::diagnose({.now = &looks.host_now,
                                     .before = &looks.host_before,
                                     .probes = &now,
                                     .probes_before = first_look ? nullptr : &before});
  }
  std::string found(std::string_view rule) {
    const Diagnosis diagnosis = diagnose();
    const Finding* finding = find(diagnosis, rule);
    return finding == nullptr ? "" : finding->found;
  }
};

constexpr auto kSelfStall = static_cast<std::size_t>(ProbeOutcome::kSelfStall);
constexpr auto kPeerStall = static_cast<std::size_t>(ProbeOutcome::kPeerStall);

}  // namespace

TEST_CASE("probes that all come back give no finding") {
  Probing healthy;
  const Diagnosis diagnosis = healthy.diagnose();
  CHECK(diagnosis.findings.empty());
  for (const char* rule : {"peers-unreachable", "path-loss", "host-stall", "rc-probe-down"})
    CHECK(find_unknown(diagnosis, rule) == nullptr);
}

TEST_CASE("more than half of the peers must be bad") {
  Probing bad;
  bad.now[0].peers[0].bad = true;
  CHECK(bad.found("peers-unreachable").empty());
  bad.now[0].peers[1].bad = true;
  CHECK(bad.found("peers-unreachable") == "2 of 2 leaf peers do not answer, first b/mlx5_0");
  bad.now[0].peers.clear();
  CHECK(find_unknown(bad.diagnose(), "peers-unreachable") != nullptr);
}

TEST_CASE("loss is told above one in a hundred, of peers that answer") {
  Probing lossy;
  lossy.now[0].peers[0].lost = 6;
  CHECK(lossy.found("path-loss").empty());
  lossy.now[0].peers[0].lost = 7;
  CHECK(lossy.found("path-loss") ==
        "7 of 600 probes to leaf leaf-2 lost in the last 30 s (1.17 %)");

  Probing dead;
  dead.now[0].peers[0].lost = 300;
  CHECK(dead.found("path-loss").empty());

  Probing few;
  few.now[0].peers = {peer("b/mlx5_0", 30, 2)};
  CHECK(few.found("path-loss").empty());
  few.now[0].peers = {peer("b/mlx5_0", 0, 0)};
  CHECK(find_unknown(few.diagnose(), "path-loss") != nullptr);
}

TEST_CASE("stalls are told above one in twenty of the probes between the looks") {
  Probing stalled;
  stalled.before[0].outcomes[kSelfStall] = 500;
  stalled.now[0].outcomes = {950};
  stalled.now[0].outcomes[kSelfStall] = 530;
  stalled.now[0].outcomes[kPeerStall] = 20;
  CHECK(stalled.found("host-stall").empty());
  stalled.now[0].outcomes[kPeerStall] = 21;
  CHECK(stalled.found("host-stall") ==
        "51 of 1001 probes met a stalled host: 30 this one, 21 a peer");
  CHECK(find_unknown(stalled.diagnose(true), "host-stall") != nullptr);
  stalled.now[0].outcomes[kSelfStall] = 0;
  CHECK(find_unknown(stalled.diagnose(), "host-stall") != nullptr);
}

TEST_CASE("an RC connection is down when both looks say so") {
  Probing down;
  down.now[0].rc.peers[0] = {"b/mlx5_0", false, "no answer", {}};
  CHECK(down.found("rc-probe-down").empty());
  down.before[0].rc.peers[0].up = false;
  CHECK(down.found("rc-probe-down") == "RC connection to b/mlx5_0 is down: no answer");
  CHECK(find_unknown(down.diagnose(true), "rc-probe-down") != nullptr);
  down.now[0].rc.peers.clear();
  CHECK(find_unknown(down.diagnose(), "rc-probe-down") != nullptr);
}

TEST_CASE("a rebuild is told unless the peer or the port began anew") {
  Probing rebuilt;
  rebuilt.now[0].rc.rebuilds = {0, 0, 3, 4};
  CHECK(rebuilt.found("rc-probe-rebuilt").empty());
  rebuilt.now[0].rc.rebuilds = {2, 0, 3, 4};
  CHECK(rebuilt.found("rc-probe-rebuilt").starts_with("connections rebuilt: 2 after "));
  CHECK(find_unknown(rebuilt.diagnose(true), "rc-probe-rebuilt") != nullptr);
}

TEST_CASE("without an agent, or with one that does not probe, nothing is said of probes") {
  TwoLooks alone;
  CHECK(find_unknown(alone.diagnose(), "path-loss")->subject.device.empty());
  Probing stopped;
  stopped.now[0].running = false;
  stopped.now[0].problem = "no GID";
  stopped.now[0].peers[0].lost = 100;
  const Diagnosis diagnosis = stopped.diagnose();
  CHECK(diagnosis.findings.empty());
  REQUIRE(find_unknown(diagnosis, "path-loss") != nullptr);
  CHECK(find_unknown(diagnosis, "path-loss")->reason == "it does not probe: no GID");
}
