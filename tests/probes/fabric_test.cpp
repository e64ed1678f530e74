// Prober and responder against each other over a simulated fabric, one fault at a time.
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "probes/flow_label.h"
#include "probes/pinglist.h"
#include "tests/support/sim_fabric.h"

using namespace rdmadiag;
using namespace std::chrono_literals;
using core::LossCause;
using core::LossDirection;
using core::ProbeOutcome;
using test::SimFabric;

namespace {

std::uint64_t count(const core::ProbeSnapshot& snapshot, ProbeOutcome outcome) {
  return snapshot.outcomes[static_cast<std::size_t>(outcome)];
}

std::uint64_t total(const core::ProbeSnapshot& snapshot) {
  return std::accumulate(snapshot.outcomes.begin(), snapshot.outcomes.end(), std::uint64_t{0});
}

std::uint64_t lost(const core::ProbeSnapshot& snapshot, LossDirection direction) {
  std::uint64_t sum = 0;
  for (const core::ProbeFlow& flow : snapshot.flows) {
    for (const std::uint64_t by_cause : flow.lost[static_cast<std::size_t>(direction)]) {
      sum += by_cause;
    }
  }
  return sum;
}

std::uint64_t lost(const core::ProbeSnapshot& snapshot, LossCause cause) {
  std::uint64_t sum = 0;
  for (const core::ProbeFlow& flow : snapshot.flows) {
    for (const auto& by_direction : flow.lost) sum += by_direction[static_cast<std::size_t>(cause)];
  }
  return sum;
}

std::uint64_t lost(const core::ProbeSnapshot& snapshot) {
  return lost(snapshot, LossDirection::kForward) + lost(snapshot, LossDirection::kReverse) +
         lost(snapshot, LossDirection::kUnknown);
}

}  // namespace

TEST_CASE("what address handles take is no time of the network") {
  const bool hardware = GENERATE(false, true);
  SimFabric fabric(2, 1, 2, hardware);
  fabric.address_time = 5ms;
  fabric.probe(0, {1}, 300ms);
  fabric.run_for(20s);
  const auto snapshot = fabric.node(0).snapshot();
  REQUIRE(snapshot.rtt.size() == 1);
  const auto& histogram = snapshot.rtt[0].network;
  REQUIRE(histogram.count() >= 60);
  CHECK(histogram.sum() / static_cast<double>(histogram.count()) ==
        Approx(hardware ? 20e-6 : 22e-6).margin(1e-8));
}

TEST_CASE("a target with an end is probed so many times, whatever a stall skipped") {
  SimFabric fabric(2, 1);
  probes::Prober& prober = *fabric.node(0).prober;
  prober.set_targets({{.peer = SimFabric::name(1), .leaf = {}, .interval = 300ms, .most = 5}});
  prober.set_peer(SimFabric::name(1), fabric.node(1).endpoint(),
                  probes::PeerReachability::kAnswers);
  fabric.run_for(500ms);
  fabric.stall(0, 1s);
  fabric.run_for(20s);
  CHECK(total(fabric.node(0).snapshot()) == 5);
}

TEST_CASE("a healthy fabric: everything ok, RTT as simulated") {
  const bool hardware = GENERATE(false, true);
  SimFabric fabric(4, 1, 2, hardware);
  fabric.probe_all(300ms);
  fabric.run_for(60s);
  for (std::size_t i = 0; i < fabric.size(); ++i) {
    const auto snapshot = fabric.node(i).snapshot();
    CHECK(count(snapshot, ProbeOutcome::kOk) >= 590);
    CHECK(count(snapshot, ProbeOutcome::kOk) == total(snapshot));
    CHECK(lost(snapshot) == 0);
    CHECK(snapshot.invalid_samples == 0);
    REQUIRE(snapshot.rtt.size() == 1);
    CHECK(snapshot.rtt[0].timestamps ==
          (hardware ? core::ProbeTimestamps::kHardware : core::ProbeTimestamps::kSoftware));
    // Two paths of 10 µs; without device clocks the 1 µs until the NIC sends is in it, twice.
    const auto& histogram = snapshot.rtt[0].network;
    const double mean = histogram.sum() / static_cast<double>(histogram.count());
    CHECK(mean == Approx(hardware ? 20e-6 : 22e-6).margin(1e-8));
    CHECK(snapshot.hops == 1);
    CHECK(snapshot.ecn_marked == 0);
    REQUIRE(snapshot.peers.size() == 3);
    for (const auto& peer : snapshot.peers) {
      CHECK(peer.resolved);
      CHECK_FALSE(peer.bad);
      CHECK(peer.sent >= 100);
      CHECK(peer.sent <= 101);
      CHECK(peer.rtt_p50_seconds);
    }
    CHECK(snapshot.responder.probes == snapshot.responder.acks);
  }
}

TEST_CASE("loss has the right direction in nine of ten cases") {
  const double rate = GENERATE(0.05, 0.30);
  const bool hardware = GENERATE(false, true);
  const auto direction = GENERATE(LossDirection::kForward, LossDirection::kReverse);
  INFO(rate << " hardware " << hardware);
  SimFabric fabric(4, 3, 2, hardware);
  fabric.probe_all(300ms);
  (direction == LossDirection::kForward ? fabric.path(0, 1) : fabric.path(1, 0)).loss = rate;
  fabric.run_for(150s);
  const auto snapshot = fabric.node(0).snapshot();
  const std::uint64_t all = lost(snapshot);
  CHECK(static_cast<double>(all) > 500 * rate * 0.6);
  CHECK(static_cast<double>(lost(snapshot, direction)) >= 0.9 * static_cast<double>(all));
  CHECK(static_cast<double>(lost(snapshot, LossCause::kPath)) >= 0.9 * static_cast<double>(all));
  CHECK(lost(fabric.node(2).snapshot()) == 0);
  CHECK(count(snapshot, ProbeOutcome::kLate) == 0);
  for (const auto& peer : snapshot.peers) CHECK(peer.bad == (peer.peer == "n1"));
  fabric.path(0, 1).loss = fabric.path(1, 0).loss = 0;
  fabric.run_for(10s);
  const std::uint64_t before = lost(fabric.node(0).snapshot());
  fabric.run_for(60s);
  CHECK(lost(fabric.node(0).snapshot()) == before);
  for (const auto& peer : fabric.node(0).snapshot().peers) CHECK_FALSE(peer.bad);
}

TEST_CASE("delay, reordering and duplicates are no loss") {
  SimFabric fabric(3, 5);
  fabric.probe_all(100ms);
  std::size_t hops = 1;
  SECTION("5 ms more") { fabric.path(0, 1).delay = 5ms; }
  SECTION("reordering over several probes") {
    fabric.path(0, 1).jitter = 350ms;
    fabric.path(1, 0).jitter = 100ms;
  }
  SECTION("duplicates") {
    fabric.path(0, 1).duplicate = 0.5;
    fabric.path(1, 0).duplicate = 0.5;
  }
  SECTION("marks and hops") {
    fabric.path(0, 1).mark = true;
    fabric.path(0, 1).hops = 5;
    hops = 5;
  }
  bool rewritten = false;
  SECTION("another DSCP on the way there") {
    fabric.path(0, 1).traffic_class = std::uint8_t{46 << 2};
    rewritten = true;
  }
  fabric.run_for(60s);
  const auto snapshot = fabric.node(0).snapshot();
  CHECK(lost(snapshot) == 0);
  CHECK(count(snapshot, ProbeOutcome::kOk) == total(snapshot));
  CHECK(snapshot.hops == static_cast<int>(hops));
  // Both the probes of n0 to n1 and n1's own are marked; n1 tells of the former only.
  CHECK((snapshot.ecn_marked > 500) == (hops == 5));
  CHECK((snapshot.dscp_rewritten > 500) == rewritten);
  CHECK(fabric.node(1).snapshot().dscp_rewritten == 0);
}

TEST_CASE("slower than the timeout: late, not lost") {
  SimFabric fabric(2, 5);
  fabric.probe_all(100ms);
  fabric.path(0, 1).delay = 700ms;
  fabric.run_for(30s);
  const auto snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kLate) > 280);
  CHECK(count(snapshot, ProbeOutcome::kLate) == total(snapshot));
}

TEST_CASE("a stalled host is not the network's fault") {
  SimFabric fabric(4, 7);
  fabric.probe_all(300ms);
  fabric.run_for(20s);
  fabric.stall(1, 3s);
  fabric.run_for(40s);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto snapshot = fabric.node(i).snapshot();
    INFO("node " << i);
    CHECK(lost(snapshot) == 0);
    CHECK(count(snapshot, ProbeOutcome::kLate) == 0);
    CHECK(count(snapshot, ProbeOutcome::kLocalTx) == 0);
    if (i == 1) continue;
    CHECK(count(snapshot, ProbeOutcome::kPeerStall) >= 5);
    CHECK(count(snapshot, ProbeOutcome::kPeerStall) <= 12);
  }
}

TEST_CASE("an agent killed and started again: looked up again, no loss blamed on the path") {
  const bool same_qpns = GENERATE(false, true);
  INFO("same QPNs " << same_qpns);
  SimFabric fabric(4, 9);
  fabric.probe_all(300ms);
  fabric.run_for(10s);
  fabric.kill(1);
  fabric.run_for(10s);
  fabric.restart(1, same_qpns);
  fabric.probe(1, {0, 2, 3}, 300ms);
  fabric.run_for(3s);
  const std::uint64_t ok_before = count(fabric.node(0).snapshot(), ProbeOutcome::kOk);
  fabric.run_for(10s);
  const auto snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kOk) - ok_before >= 95);
  CHECK(lost(snapshot, LossCause::kPath) == 0);
  CHECK(lost(snapshot) > 0);
  CHECK(count(snapshot, ProbeOutcome::kStale) > 0);
  const std::uint64_t all_lost = lost(snapshot);
  fabric.run_for(30s);
  CHECK(lost(fabric.node(0).snapshot()) == all_lost);
}

TEST_CASE("a restart between two probes is told by STALE") {
  SimFabric fabric(2, 9);
  fabric.answer_lookups = false;
  fabric.probe_all(300ms);
  fabric.run_for(5s);
  // The new agent happens to have the queue pair numbers and the Q_Key of the old one.
  auto& peer = fabric.node(1);
  const auto old = peer.endpoint();
  fabric.restart(1, true);
  const auto fresh = peer.endpoint();
  auto mixed = fresh;
  mixed.epoch = old.epoch;
  fabric.node(0).prober->set_peer("n1", mixed, probes::PeerReachability::kAnswers);
  fabric.run_for(1s);
  auto snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kStale) >= 1);
  CHECK(lost(snapshot) == 0);
  REQUIRE(fabric.lookups.size() == 1);
  CHECK(fabric.lookups[0].second == "n1");
  CHECK(count(snapshot, ProbeOutcome::kNotSent) >= 1);
  CHECK(peer.snapshot().responder.stale >= 1);
  fabric.node(0).prober->set_peer("n1", fresh, probes::PeerReachability::kAnswers);
  const auto ok = count(fabric.node(0).snapshot(), ProbeOutcome::kOk);
  fabric.run_for(3s);
  CHECK(count(fabric.node(0).snapshot(), ProbeOutcome::kOk) > ok + 5);
}

TEST_CASE("a dead target among living ones is an endpoint, a dead leaf a path") {
  SimFabric fabric(4, 11);
  fabric.answer_lookups = false;
  fabric.probe_all(300ms);
  SECTION("one target") {
    fabric.run_for(30s);
    fabric.path(0, 1).loss = 1;
    fabric.run_for(60s);
    const auto snapshot = fabric.node(0).snapshot();
    CHECK(lost(snapshot, LossCause::kEndpoint) > 120);
    CHECK(lost(snapshot, LossCause::kPath) < 30);
    CHECK(lost(snapshot, LossDirection::kUnknown) > 100);  // no later ACK can tell
  }
  SECTION("every target") {
    fabric.run_for(30s);
    for (std::size_t i = 1; i < 4; ++i) fabric.path(0, i).loss = 1;
    fabric.run_for(60s);
    const auto snapshot = fabric.node(0).snapshot();
    CHECK(lost(snapshot, LossCause::kPath) > 400);
    CHECK(lost(snapshot, LossCause::kEndpoint) < 10);  // while the others' last answers are fresh
  }
  SECTION("one label of eight") {
    const std::uint64_t hash = probes::pair_hash(SimFabric::name(0), SimFabric::name(1));
    auto& path = fabric.path(0, 1);
    path.loss = 1;
    path.lost_label = probes::probe_label(hash, 3);
    fabric.run_for(60s);
    const auto snapshot = fabric.node(0).snapshot();
    CHECK(lost(snapshot, LossCause::kPath) == lost(snapshot, LossDirection::kForward));
    CHECK(lost(snapshot) > 20);
    for (const auto& record : snapshot.paths) {
      const bool hit = snapshot.path_peers[record.peer] == "n1" && record.label == path.lost_label;
      CHECK(record.lost_forward == (hit ? record.sent : 0));
    }
  }
}

TEST_CASE("silence asks for a look-up, once, and an answer ends it") {
  SimFabric fabric(2, 13);
  fabric.answer_lookups = false;
  fabric.probe(0, {1}, 200ms);
  fabric.run_for(5s);
  CHECK(fabric.lookups.empty());
  fabric.path(0, 1).loss = 1;
  fabric.run_for(3s);
  CHECK(fabric.lookups.size() == 1);
  fabric.node(0).prober->set_peer("n1", fabric.node(1).endpoint(),
                                  probes::PeerReachability::kAnswers);
  CHECK(fabric.node(0).probing->forgotten.size() == 1);
  CHECK(fabric.node(0).prober->take_recovered().empty());
  fabric.path(0, 1).loss = 0;
  fabric.run_for(5s);
  CHECK(fabric.lookups.size() == 1);
  CHECK(fabric.node(0).prober->take_recovered() == std::vector<std::string>{"n1"});
  fabric.run_for(5s);
  CHECK(fabric.node(0).prober->take_recovered().empty());
}

TEST_CASE("no way to a peer's address asks for a look-up too: it may have another one by now") {
  SimFabric fabric(2, 14);
  fabric.answer_lookups = false;
  fabric.probe(0, {1}, 200ms);
  fabric.run_for(1s);
  fabric.node(0).probing->refuse = probes::Posted::kQueueFull;
  fabric.run_for(3s);
  CHECK(fabric.lookups.empty());  // that is ours
  fabric.node(0).probing->refuse = probes::Posted::kNoAddress;
  fabric.run_for(3s);
  CHECK(fabric.lookups.size() == 1);
  fabric.node(0).prober->set_peer("n1", fabric.node(1).endpoint(),
                                  probes::PeerReachability::kAnswers);
  fabric.run_for(3s);
  CHECK(fabric.lookups.size() == 2);
}

TEST_CASE("local failures are named so") {
  SimFabric fabric(2, 15);
  fabric.probe(0, {1}, 100ms);
  fabric.run_for(1s);
  fabric.node(0).probing->refuse = probes::Posted::kQueueFull;
  fabric.run_for(1s);
  fabric.node(0).probing->refuse = probes::Posted::kNoAddress;
  fabric.run_for(1s);
  auto snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kLocalTx) == 10);
  CHECK(count(snapshot, ProbeOutcome::kNotSent) == 10);
  fabric.node(0).prober->attach(nullptr);
  fabric.run_for(1s);
  snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kNotSent) == 20);
  CHECK(lost(snapshot) == 0);
}

TEST_CASE("what arrives before a host knows that its link is up again is nobody's") {
  SimFabric fabric(2, 19);
  fabric.path(0, 1).delay = 150ms;
  fabric.path(1, 0).delay = 150ms;
  fabric.probe(0, {1}, 100ms);
  fabric.run_for(1s);
  test::SimNode& answering = fabric.node(1);
  answering.responder->attach(nullptr);
  const core::ResponderCounts before = answering.responder->counts();
  fabric.run_for(1s);
  CHECK(answering.responder->counts().probes == before.probes);
  answering.responder->attach(answering.responding.get());
  fabric.run_for(1s);
  CHECK(answering.responder->counts().acks > before.acks);

  test::SimNode& probing = fabric.node(0);
  const std::uint64_t ok = count(probing.snapshot(), ProbeOutcome::kOk);
  probing.prober->attach(nullptr);  // with answers on their way
  fabric.run_for(1s);
  CHECK(count(probing.snapshot(), ProbeOutcome::kOk) == ok);
  probing.prober->attach(probing.probing.get());
  fabric.run_for(1s);
  CHECK(count(probing.snapshot(), ProbeOutcome::kOk) > ok);
}

TEST_CASE("without a shared key only the own host is probed") {
  SimFabric fabric(2, 17);
  fabric.probe(0, {1}, 100ms);
  const probes::KeyRing local_only(probes::ProbeKey{.id = probes::kLocalKeyId, .secret = {1}});
  fabric.node(0).prober->set_keys(std::make_shared<const probes::KeyRing>(local_only));
  fabric.run_for(1s);
  CHECK(count(fabric.node(0).snapshot(), ProbeOutcome::kNotSent) >= 10);
  CHECK(fabric.node(1).snapshot().responder.probes == 0);
}

TEST_CASE("another key: nothing answers, and it is counted") {
  SimFabric fabric(2, 19);
  fabric.probe(0, {1}, 100ms);
  probes::KeyRing other(probes::make_local_key());
  other.set_shared({probes::ProbeKey{.id = 5, .secret = {9}}});
  fabric.node(0).prober->set_keys(std::make_shared<const probes::KeyRing>(other));
  fabric.run_for(3s);
  const auto counts = fabric.node(1).snapshot().responder;
  CHECK(counts.acks == 0);
  CHECK(counts.rejected[static_cast<std::size_t>(probes::DecodeFault::kTag)] >= 25);
}

TEST_CASE("targets that go take their series along, others keep theirs") {
  SimFabric fabric(3, 21);
  fabric.probe(0, {1, 2}, 100ms);
  fabric.run_for(40s);
  const auto before = fabric.node(0).snapshot();
  CHECK_FALSE(before.paths.empty());
  fabric.probe(0, {2}, 100ms);
  const auto after = fabric.node(0).snapshot();
  CHECK(after.peers.size() == 1);
  REQUIRE(after.flows.size() == 1);
  CHECK(after.flows[0].sent >= before.flows[0].sent);
  for (const auto& record : after.paths) CHECK(after.path_peers[record.peer] == "n2");
  fabric.probe(0, {}, 100ms);
  CHECK(fabric.node(0).snapshot().flows.empty());
  CHECK_FALSE(fabric.node(0).prober->next_wakeup());
}

TEST_CASE("path records name label and direction") {
  SimFabric fabric(2, 23);
  fabric.probe(0, {1}, 50ms);
  fabric.path(0, 1).loss = 0.2;
  fabric.run_for(130s);
  const auto snapshot = fabric.node(0).snapshot();
  std::set<std::uint32_t> labels;
  std::uint64_t sent = 0;
  std::uint64_t lost_forward = 0;
  for (const auto& record : snapshot.paths) {
    labels.insert(record.label);
    sent += record.sent;
    lost_forward += record.lost_forward;
    CHECK(record.window_start % 30 == 0);
    CHECK(record.lost_reverse == 0);
  }
  CHECK(labels.size() == 8);
  CHECK(labels.count(0) == 0);
  CHECK(sent >= 1600);
  CHECK(static_cast<double>(lost_forward) > 0.15 * static_cast<double>(sent));
}

TEST_CASE("hardware time at one end only is mixed") {
  SimFabric fabric(2, 25);
  fabric.node(1).hardware_time = true;
  fabric.node(1).responder->attach(fabric.node(1).responding.get());
  fabric.probe(0, {1}, 100ms);
  fabric.run_for(5s);
  const auto snapshot = fabric.node(0).snapshot();
  REQUIRE(snapshot.rtt.size() == 1);
  CHECK(snapshot.rtt[0].timestamps == core::ProbeTimestamps::kMixed);
  CHECK(count(snapshot, ProbeOutcome::kOk) == total(snapshot));
}

TEST_CASE("ACK2 lost: no RTT, a loss on the way back") {
  SimFabric fabric(2, 27, 2, true);
  fabric.probe(0, {1}, 100ms);
  fabric.path(1, 0).loss = 0.3;
  fabric.run_for(120s);
  const auto snapshot = fabric.node(0).snapshot();
  CHECK(count(snapshot, ProbeOutcome::kOkNoAck2) > 150);
  CHECK(lost(snapshot, LossDirection::kReverse) >=
        count(snapshot, ProbeOutcome::kOkNoAck2) + count(snapshot, ProbeOutcome::kLostReverse));
  CHECK(lost(snapshot, LossDirection::kForward) == 0);
}

TEST_CASE("a replayed probe is answered once, a flood does not silence the honest") {
  SimFabric fabric(2, 29);
  fabric.probe(0, {1}, 100ms);
  fabric.path(0, 1).duplicate = 1;
  fabric.run_for(10s);
  const auto counts = fabric.node(1).snapshot().responder;
  CHECK(counts.acks == counts.probes / 2);
  CHECK(counts.replayed == counts.probes / 2);
}
