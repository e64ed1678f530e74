#include "probes/rc_prober.h"

#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_rc.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using core::RcRebuildReason;

namespace {

constexpr std::uint32_t kPeerEpoch = 0x77;

// A prober whose peers answer as told, in time that moves in steps of a millisecond.
struct Bench {
  explicit Bench(RcProberOptions options = {})
      : prober(
            with_epoch(options), [this] { return random += 0x9e3779b9; }, clock) {
    prober.attach(&transport);
  }
  static RcProberOptions with_epoch(RcProberOptions options) {
    options.epoch = 5;
    options.nic = "me/rxe0";
    return options;
  }

  void run_for(std::chrono::nanoseconds time) {
    for (const auto end = clock.steady() + time; clock.steady() < end; clock.advance(1ms)) step();
  }
  void step() {
    prober.work();
    for (const RcRequest& request : prober.take_requests()) {
      requests.push_back(request);
      request_times.push_back(clock.steady());
      if (answers) prober.answered(request.id, answer());
    }
    if (!acknowledges) return;
    for (; handled < transport.posted.size(); ++handled) {
      const auto& message = transport.posted[handled];
      prober.sent(message.id, {clock.steady() + round_trip, {}});
    }
  }
  [[nodiscard]] core::Result<RcParameters> answer() const {
    if (!refusal.empty()) return core::fail(refusal);
    RcParameters parameters;
    parameters.gid[15] = 2;
    parameters.qpn = 0x22;
    parameters.mtu_bytes = 1024;
    parameters.epoch = peer_epoch;
    return parameters;
  }
  [[nodiscard]] core::RcProbes probes() const {
    core::RcProbes filled;
    prober.fill(filled);
    return filled;
  }
  [[nodiscard]] core::RcPeer peer(std::size_t index = 0) const { return probes().peers.at(index); }
  [[nodiscard]] std::uint64_t rebuilds(RcRebuildReason reason) const {
    return probes().rebuilds[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] std::uint64_t rebuilds() const {
    const auto all = probes().rebuilds;
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
  [[nodiscard]] RcConnectionId current() const { return transport.live.begin()->first; }

  test::ManualClock clock;
  test::ScriptedRc transport;
  std::uint32_t random = 1;
  bool answers = true;
  bool acknowledges = true;
  std::string refusal;
  std::uint32_t peer_epoch = kPeerEpoch;
  std::chrono::nanoseconds round_trip = 20us;
  std::size_t handled = 0;
  std::vector<RcRequest> requests;
  std::vector<core::SteadyTime> request_times;
  RcProber prober;
};

std::vector<RcTarget> targets(std::size_t count) {
  std::vector<RcTarget> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back({.peer = "h" + std::to_string(i) + "/rxe0", .hash = i * 123'457});
  }
  return list;
}

std::chrono::duration<double> between(core::SteadyTime from, core::SteadyTime to) {
  return to - from;
}

}  // namespace

TEST_CASE("an RC connection comes up and a message is acknowledged each interval") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  CHECK_FALSE(bench.peer().up);
  CHECK(bench.peer().problem == "not connected yet");
  bench.run_for(60s);
  CHECK(bench.peer().up);
  CHECK(bench.peer().problem.empty());
  CHECK(bench.peer().last_rtt_seconds == Approx(20e-6));
  const core::RcProbes probes = bench.probes();
  CHECK(probes.sent >= 59);
  CHECK(probes.sent <= 61);
  CHECK(probes.arrived == probes.sent);
  CHECK(probes.rtt.count() == probes.sent);
  CHECK(probes.down_seconds == Approx(0).margin(0.3));
  CHECK(bench.rebuilds() == 0);
  REQUIRE(bench.requests.size() == 1);
  const RcParameters& asked = bench.requests[0].local;
  CHECK(bench.requests[0].peer == "h0/rxe0");
  CHECK(asked.epoch == 5);
  CHECK(asked.qpn == test::ScriptedRc::qpn_of(1));
  CHECK(asked.psn <= 0xffffff);
  CHECK(bench.transport.live.at(1).flow_label != 0);
  CHECK(bench.transport.remotes.at(1).qpn == 0x22);
}

TEST_CASE("it is not up before something was acknowledged") {
  Bench bench;
  bench.acknowledges = false;
  bench.prober.set_targets(targets(1));
  bench.run_for(5s);
  CHECK_FALSE(bench.peer().up);
  CHECK(bench.peer().problem == "connected, nothing acknowledged yet");
  CHECK(bench.transport.posted.size() == 1);  // one at a time
  CHECK(bench.prober.awaits_answers());
  CHECK(bench.probes().sent == 0);
}

TEST_CASE("at most max_connections targets, the first ones; who stays keeps its connection") {
  Bench bench({.max_connections = 3});
  bench.prober.set_targets(targets(5));
  bench.run_for(2s);
  CHECK(bench.transport.live.size() == 3);
  CHECK(bench.probes().peers.size() == 3);
  bench.prober.set_targets({{.peer = "new/rxe0", .hash = 1}, targets(3)[1]});
  CHECK(bench.transport.live.size() == 1);
  bench.run_for(2s);
  CHECK(bench.transport.live.size() == 2);
  CHECK(bench.transport.destroyed.size() == 2);
  REQUIRE(bench.probes().peers.size() == 2);
  CHECK(bench.peer(0).peer == "h1/rxe0");
  CHECK(bench.peer(1).up);
  CHECK(bench.rebuilds() == 0);
}

TEST_CASE("a completion error: counted, told, destroyed and made anew") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(30s);
  bench.acknowledges = false;
  bench.run_for(2s);
  const RcConnectionId first = bench.current();
  bench.prober.broken(first, "transport retry counter exceeded, vendor_err 0x81");
  CHECK(bench.transport.destroyed[first] == 1);
  CHECK(bench.rebuilds(RcRebuildReason::kCompletionError) == 1);
  CHECK_FALSE(bench.peer().up);
  CHECK(bench.peer().problem.find("transport retry counter exceeded, vendor_err 0x81, ") == 0);
  CHECK_FALSE(bench.peer().last_rtt_seconds);
  CHECK(bench.probes().sent == bench.probes().arrived + 1);
  const double down_before = bench.probes().down_seconds;
  bench.handled = bench.transport.posted.size();
  bench.acknowledges = true;
  bench.run_for(5s);
  CHECK(bench.peer().up);
  CHECK(bench.current() != first);
  CHECK(bench.requests.size() == 2);
  CHECK(bench.requests[1].local.psn != bench.requests[0].local.psn);
  const double down = bench.probes().down_seconds - down_before;
  CHECK(down >= 0.4);
  CHECK(down <= 0.8);
  // What comes late of the old one is nobody's.
  bench.prober.sent(first, {bench.clock.steady(), {}});
  bench.prober.broken(first, "flushed");
  CHECK(bench.rebuilds() == 1);
}

TEST_CASE("the wait grows twofold up to 30 s, with jitter, and is forgotten once stable") {
  Bench bench;
  bench.refusal = "connection refused";
  bench.prober.set_targets(targets(1));
  bench.run_for(200s);
  CHECK(bench.peer().problem == "asking the peer: connection refused");
  CHECK(bench.rebuilds() == 0);
  CHECK(bench.probes().down_seconds == 0);  // it never agreed to be probed
  CHECK(bench.transport.live.empty());
  double expected = 0.5;
  bool jitter = false;
  REQUIRE(bench.request_times.size() >= 9);
  for (std::size_t i = 1; i < bench.request_times.size(); ++i) {
    const double wait = between(bench.request_times[i - 1], bench.request_times[i]).count();
    CHECK(wait >= expected * 0.8 - 0.01);
    CHECK(wait <= expected * 1.2 + 0.01);
    jitter = jitter || std::abs(wait - expected) > expected * 0.02;
    expected = std::min(30.0, expected * 2);
  }
  CHECK(jitter);
  bench.refusal.clear();
  bench.run_for(40s);
  CHECK(bench.peer().up);
  bench.run_for(11s);
  const auto broken_at = bench.clock.steady();
  bench.prober.broken(bench.current(), "x");
  bench.run_for(1s);
  CHECK(between(broken_at, bench.request_times.back()).count() <= 0.61);
}

TEST_CASE("at most one connection a second is made anew, however many broke") {
  Bench bench;
  bench.prober.set_targets(targets(8));
  bench.run_for(20s);
  REQUIRE(bench.transport.live.size() == 8);
  bench.request_times.clear();
  bench.prober.set_port_active(false);
  bench.prober.set_port_active(true);
  CHECK(bench.transport.live.empty());
  CHECK(bench.rebuilds(RcRebuildReason::kPortUp) == 8);
  CHECK(bench.rebuilds() == 8);
  bench.run_for(10s);
  REQUIRE(bench.request_times.size() == 8);
  for (std::size_t i = 1; i < 8; ++i) {
    CHECK(between(bench.request_times[i - 1], bench.request_times[i]).count() >= 1.0);
  }
  for (const core::RcPeer& peer : bench.probes().peers) CHECK(peer.up);
}

TEST_CASE("what this host's device does is not the peer's failure") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(20s);
  const double down = bench.probes().down_seconds;
  const std::uint64_t sent = bench.probes().sent;

  SECTION("the port goes down and everything breaks") {
    bench.prober.set_port_active(false);
    CHECK(bench.peer().problem == "this host: the port is not active");
    bench.prober.broken(bench.current(), "transport retry counter exceeded");
    bench.run_for(100s);
    CHECK(bench.requests.size() == 1);
    CHECK(bench.rebuilds() == 0);
    CHECK_FALSE(bench.prober.next_wakeup());
    bench.prober.port_came_up();
    CHECK(bench.rebuilds(RcRebuildReason::kPortUp) == 1);
    bench.run_for(2s);
    CHECK(bench.peer().up);
  }
  SECTION("the device goes") {
    bench.prober.attach(nullptr);
    CHECK(bench.transport.destroyed.empty());  // gone with it
    CHECK(bench.peer().problem == "this host: the device is not open");
    bench.run_for(100s);
    CHECK_FALSE(bench.prober.next_wakeup());
    test::ScriptedRc other;
    bench.transport.posted.clear();
    bench.prober.attach(&bench.transport);
    bench.handled = 0;
    bench.run_for(2s);
    CHECK(bench.peer().up);
    CHECK(bench.rebuilds() == 0);
  }
  SECTION("posting fails, then creating does") {
    bench.transport.post_error = "ibv_post_send: Input/output error";
    bench.transport.create_error = "ibv_create_qp: Cannot allocate memory";
    while (bench.peer().up) bench.run_for(1ms);
    CHECK(bench.peer().problem == "this host: ibv_post_send: Input/output error");
    bench.run_for(20s);
    CHECK(bench.peer().problem == "this host: ibv_create_qp: Cannot allocate memory");
    CHECK(bench.transport.live.empty());
    bench.transport.post_error.clear();
    bench.transport.create_error.clear();
    bench.run_for(40s);
    CHECK(bench.peer().up);
    CHECK(bench.rebuilds() == 0);
  }
  CHECK(bench.probes().down_seconds - down <= 1.0);  // from there until acknowledged
  CHECK(bench.probes().sent - bench.probes().arrived == 0);
  CHECK(bench.probes().sent > sent);
}

TEST_CASE("events of the queue pair and a restart of the peer") {
  Bench bench;
  bench.prober.set_targets(targets(2));
  bench.run_for(20s);
  SECTION("a queue pair's own error") {
    bench.prober.qp_broken(0xbad);
    CHECK(bench.rebuilds() == 0);
    bench.prober.qp_broken(test::ScriptedRc::qpn_of(1));
    CHECK(bench.rebuilds(RcRebuildReason::kQpEvent) == 1);
    CHECK(bench.rebuilds() == 1);
    CHECK_FALSE(bench.peer(0).up);
    CHECK(bench.peer(1).up);
  }
  SECTION("a look-up finds another epoch") {
    bench.prober.set_peer_epoch("h0/rxe0", kPeerEpoch);
    bench.prober.set_peer_epoch("unknown/rxe0", 1);
    CHECK(bench.rebuilds() == 0);
    bench.peer_epoch = 0x99;
    bench.prober.set_peer_epoch("h0/rxe0", 0x99);
    bench.prober.set_peer_epoch("h0/rxe0", 0x99);
    CHECK(bench.rebuilds(RcRebuildReason::kPeerRestarted) == 1);
    CHECK(bench.rebuilds() == 1);
    bench.run_for(2s);
    bench.prober.set_peer_epoch("h0/rxe0", 0x99);
    CHECK(bench.rebuilds() == 1);
  }
  bench.run_for(3s);
  CHECK(bench.peer(0).up);
}

TEST_CASE("a hint that the peer is back ends the wait") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(5s);
  bench.refusal = "no route to host";
  bench.prober.broken(bench.current(), "transport retry counter exceeded");
  bench.run_for(100s);
  bench.refusal.clear();
  bench.prober.retry_soon("h0/rxe0");
  bench.prober.retry_soon("unknown/rxe0");
  bench.run_for(2s);
  CHECK(bench.peer().up);
  // It had agreed before, so it should have been up all the time.
  CHECK(bench.probes().down_seconds == Approx(101).margin(2));
}

TEST_CASE("a peer that does not answer, and answers that come too late") {
  Bench bench;
  bench.answers = false;
  bench.prober.set_targets(targets(1));
  bench.run_for(10'100ms);
  CHECK(bench.peer().problem == "asking the peer: no answer within 10 s");
  CHECK(bench.transport.live.empty());
  bench.prober.answered(bench.requests[0].id, bench.answer());
  CHECK_FALSE(bench.peer().up);
  bench.answers = true;
  bench.run_for(2s);
  CHECK(bench.peer().up);
  bench.prober.answered(bench.requests.back().id, core::fail("twice"));
  CHECK(bench.peer().up);
}

TEST_CASE("a connection that has to be waited for") {
  Bench bench;
  bench.transport.connecting = RcConnecting::kPending;
  bench.prober.set_targets(targets(1));
  bench.run_for(1s);
  CHECK(bench.transport.posted.empty());
  SECTION("comes") {
    bench.prober.connected(bench.current());
    bench.prober.connected(99);
    bench.run_for(1s);
    CHECK(bench.peer().up);
  }
  SECTION("is refused") {
    bench.prober.broken(bench.current(), "rejected");
    CHECK(bench.peer().problem == "connecting: rejected");
    CHECK(bench.rebuilds() == 0);
  }
  SECTION("never comes") {
    bench.run_for(10s);
    CHECK(bench.peer().problem == "connecting: not done within 10 s");
  }
}

TEST_CASE("a failure to connect is told with its cause") {
  Bench bench;
  bench.transport.connect_error = "RC queue pair INIT to RTR, no route";
  bench.prober.set_targets(targets(1));
  bench.run_for(600ms);
  CHECK(bench.peer().problem == "connecting: RC queue pair INIT to RTR, no route");
  CHECK(bench.transport.live.empty());
}

TEST_CASE("a NIC that never completes is given up after 20 s, not counting our own stalls") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(5s);
  bench.acknowledges = false;
  bench.run_for(2s);
  bench.clock.advance(30s);
  bench.prober.loop_stalled(bench.clock.steady() - 30s, bench.clock.steady());
  bench.run_for(10s);
  CHECK(bench.rebuilds() == 0);
  SECTION("the acknowledgement was there all the time: no round trip time is made of it") {
    const auto observed = bench.probes().rtt.count();
    const auto arrived = bench.probes().arrived;
    bench.acknowledges = true;
    bench.step();
    CHECK(bench.probes().arrived == arrived + 1);
    CHECK(bench.probes().rtt.count() == observed);
  }
  SECTION("none comes") {
    bench.run_for(10s);
    CHECK(bench.rebuilds(RcRebuildReason::kCompletionError) == 1);
    CHECK(bench.peer().problem == "no completion within 20 s");
  }
}

TEST_CASE("an unreliable connection lives by what the peer sends back") {
  Bench bench({.service = RcService::kUnreliable});
  bench.acknowledges = false;
  bench.prober.set_targets(targets(1));
  const auto echo = [&](std::chrono::nanoseconds time) {
    for (const auto end = bench.clock.steady() + time; bench.clock.steady() < end;
         bench.clock.advance(1ms)) {
      bench.step();
      for (; bench.handled < bench.transport.posted.size(); ++bench.handled) {
        const auto& message = bench.transport.posted[bench.handled];
        bench.prober.sent(message.id, {bench.clock.steady(), {}});
        bench.prober.received(message.id, message.number - 1, {bench.clock.steady(), {}});
        bench.prober.received(message.id, message.number, {bench.clock.steady() + 50us, {}});
      }
    }
  };
  echo(10s);
  CHECK(bench.peer().up);
  CHECK(bench.peer().last_rtt_seconds == Approx(50e-6));
  const std::uint64_t sent = bench.probes().sent;
  CHECK(sent == bench.probes().arrived);
  bench.run_for(2s);
  CHECK(bench.probes().sent - bench.probes().arrived == 2);
  CHECK(bench.rebuilds() == 0);
  bench.run_for(1s);
  CHECK(bench.rebuilds(RcRebuildReason::kCompletionError) == 1);
  CHECK(bench.peer().problem == "3 messages in a row were not sent back");
  CHECK(bench.probes().sent - bench.probes().arrived == 3);
}

TEST_CASE("where completions do not tell, the peer sends back what TCP brought it") {
  Bench bench;
  bench.transport.acknowledging = false;
  bench.acknowledges = false;
  bench.prober.set_targets(targets(1));
  for (int i = 0; i < 5000; ++i) {
    bench.step();
    for (; bench.handled < bench.transport.posted.size(); ++bench.handled) {
      const auto& message = bench.transport.posted[bench.handled];
      bench.prober.sent(message.id, {bench.clock.steady(), {}});
      CHECK(bench.prober.awaits_answers());
      bench.prober.received(message.id, message.number, {bench.clock.steady() + 80us, {}});
    }
    bench.clock.advance(1ms);
  }
  CHECK(bench.peer().up);
  CHECK(bench.peer().last_rtt_seconds == Approx(80e-6));
  bench.run_for(5s);
  CHECK(bench.rebuilds() == 0);  // late is not lost
  bench.run_for(1100ms);
  CHECK(bench.rebuilds(RcRebuildReason::kCompletionError) == 1);
  CHECK(bench.peer().problem == "not sent back within 5 s");
  CHECK(bench.probes().sent == bench.probes().arrived + 1);
}

TEST_CASE("one-sided operations, and a SEND now and then as a sign of life") {
  Bench bench({.operation = RcOperation::kRead});
  bench.prober.set_targets(targets(1));
  bench.run_for(100s);
  std::size_t sends = 0;
  for (const auto& message : bench.transport.posted) {
    if (message.operation == RcOperation::kSend) ++sends;
  }
  CHECK(bench.transport.posted.size() >= 99);
  CHECK(sends == 5);
  CHECK(bench.requests[0].local.operation == RcOperation::kRead);
}

TEST_CASE("the rate factor stretches the interval") {
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(5s);
  bench.prober.set_rate_factor(0.1);
  const std::uint64_t sent = bench.probes().sent;
  bench.run_for(50s);
  CHECK(bench.probes().sent - sent >= 4);
  CHECK(bench.probes().sent - sent <= 6);
}

TEST_CASE("whatever the interval, peers hear of a connection before they drop it") {
  Bench bench({.interval = 1h});
  bench.prober.set_rate_factor(0.1);
  bench.prober.set_targets(targets(1));
  bench.run_for(10s);
  CHECK(bench.transport.posted.size() == 1);
  bench.run_for(600s);
  CHECK(bench.transport.posted.size() >= 10);
  CHECK(bench.transport.posted.size() <= 12);
}

TEST_CASE("who pings is told of every message and of the connection") {
  using Kind = RcRecord::Kind;
  Bench bench;
  bench.prober.set_targets(targets(1));
  bench.run_for(2s);
  CHECK(bench.prober.take_records().empty());  // nobody has asked for them
  bench.prober.keep_records();
  bench.run_for(2s);
  const auto quiet = bench.prober.take_records();
  REQUIRE(quiet.size() == 2);
  CHECK(quiet[0].kind == Kind::kAcknowledged);
  CHECK(quiet[0].round_trip == bench.round_trip);

  bench.acknowledges = false;
  bench.run_for(1100ms);
  bench.refusal = "no thanks";
  bench.prober.broken(bench.current(), "transport retry counter exceeded");
  bench.run_for(1s);
  const auto broken = bench.prober.take_records();
  REQUIRE(broken.size() == 3);
  CHECK(broken[0].kind == Kind::kLost);
  CHECK(broken[1].kind == Kind::kBroken);
  CHECK(broken[1].problem.starts_with("transport retry counter exceeded"));
  CHECK(broken[2].kind == Kind::kNotAgreed);
  CHECK(broken[2].problem == "asking the peer: no thanks");

  bench.refusal.clear();
  bench.acknowledges = true;
  bench.run_for(5s);
  const auto again = bench.prober.take_records();
  REQUIRE(again.size() >= 2);
  CHECK(again[0].kind == Kind::kUp);
  CHECK(again[1].kind == Kind::kAcknowledged);
  bench.transport.create_error = "no memory";
  bench.prober.broken(bench.current(), "gone");
  bench.run_for(10s);
  CHECK(bench.prober.take_records().back().kind == Kind::kLocal);
}
