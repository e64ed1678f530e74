// What probes say of this host's NICs in the diagnosis.
#include <catch2/catch.hpp>

#include "agent/core/diagnose/diagnose.h"

using namespace rdmadiag::core;

namespace {

ProbePeer peer(std::string name, std::uint64_t lost, ProbeScope scope = ProbeScope::kLeaf) {
  return {.peer = std::move(name),
          .leaf = {},
          .scope = scope,
          .resolved = true,
          .bad = lost > 0,
          .sent = 100,
          .lost = lost,
          .rtt_p50_seconds = {},
          .rtt_max_seconds = {},
          .last_ok = {}};
}

Diagnosis diagnosis_of(std::vector<ProbePeer> peers) {
  ProbeSnapshot rnic;
  rnic.device = "rxe1";
  rnic.peers = std::move(peers);
  Diagnosis diagnosis;
  diagnose_probes(std::vector{rnic}, diagnosis);
  return diagnosis;
}

}  // namespace

TEST_CASE("peers that answer give no finding, nor do those that were not asked") {
  CHECK(diagnosis_of({peer("b", 0), peer("c", 0)}).findings.empty());
  CHECK(diagnosis_of({}).findings.empty());
  ProbePeer unknown = peer("b", 3);
  unknown.resolved = false;
  CHECK(diagnosis_of({unknown, peer("a", 9, ProbeScope::kLoopback)}).findings.empty());
}

TEST_CASE("one peer of several that loses is a warning that names it") {
  const Diagnosis found = diagnosis_of({peer("b", 0), peer("h3/rxe3", 20), peer("d", 0)});
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].rule == "probe-loss");
  CHECK(found.findings[0].severity == FindingSeverity::kWarning);
  CHECK(found.findings[0].subject.text() == "rxe1 port 1");
  CHECK(found.findings[0].found ==
        "probes to 1 of 3 peers are lost, h3/rxe3 the worst: 20 of 100 in 30 s");
}

TEST_CASE("most peers losing is critical and comes first, with the worst of them") {
  ProbeSnapshot first;
  first.peers = {peer("b", 1), peer("c", 0)};
  ProbeSnapshot second;
  second.peers = {peer("b", 1), peer("c", 7), peer("d", 0)};
  Diagnosis diagnosis;
  diagnosis.findings.push_back({.rule = "link-degraded",
                                .severity = FindingSeverity::kWarning,
                                .subject = {},
                                .found = {},
                                .expected = {},
                                .meaning = {},
                                .next_step = {}});
  diagnose_probes(std::vector{first, second}, diagnosis);
  REQUIRE(diagnosis.findings.size() == 3);
  CHECK(diagnosis.findings[0].rule == "peers-unreachable");
  CHECK(diagnosis.findings[0].found.find("2 of 3 peers") != std::string::npos);
  CHECK(diagnosis.findings[0].found.find("c the worst: 7 of 100") != std::string::npos);
  CHECK(diagnosis.findings[1].rule == "link-degraded");
  CHECK(diagnosis.findings[2].rule == "probe-loss");
}

TEST_CASE("the only peer losing says nothing about who is at fault") {
  CHECK(diagnosis_of({peer("b", 50)}).findings.at(0).rule == "probe-loss");
}
