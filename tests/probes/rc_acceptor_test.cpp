#include "probes/rc_acceptor.h"

#include <catch2/catch.hpp>

#include "tests/support/manual_clock.h"
#include "tests/support/scripted_rc.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

struct Bench {
  explicit Bench(const RcAcceptorOptions& options = {.epoch = 9})
      : acceptor(
            options, [this] { return random++; }, clock) {
    acceptor.attach(&transport);
  }
  core::Result<RcParameters> ask(const std::string& peer, std::uint32_t qpn) {
    RcParameters remote{.qpn = qpn, .psn = 1, .mtu_bytes = 1024};
    remote.gid[15] = 1;
    return acceptor.accept(peer, remote);
  }
  std::string why_not(const RcParameters& remote) {
    const auto answer = acceptor.accept("x", remote);
    return answer ? "accepted" : answer.error().message();
  }

  test::ManualClock clock;
  test::ScriptedRc transport;
  std::uint32_t random = 0xff000001;
  RcAcceptor acceptor;
};

}  // namespace

TEST_CASE("a peer that asks gets a connected queue pair") {
  Bench bench;
  const auto answer = bench.ask("h1/rxe0", 0x31);
  REQUIRE(answer);
  CHECK(answer->qpn == test::ScriptedRc::qpn_of(1));
  CHECK(answer->psn == 1);  // of 0xff000001
  CHECK(answer->epoch == 9);
  CHECK(bench.transport.remotes.at(1).qpn == 0x31);
  CHECK(bench.transport.live.at(1).role == RcRole::kAcceptor);
  CHECK(bench.transport.live.at(1).flow_label != 0);
  CHECK(bench.acceptor.connections() == 1);
}

TEST_CASE("parameters out of range are refused before anything is made") {
  Bench bench;
  RcParameters good{.qpn = 0x31, .psn = 1, .mtu_bytes = 1024};
  good.gid[15] = 1;
  RcParameters bad = good;
  bad.qpn = 0x1000000;
  CHECK(bench.why_not(bad) == "qpn: more than 24 bits");
  bad = good;
  bad.psn = 0x1000000;
  CHECK(bench.why_not(bad) == "psn: more than 24 bits");
  bad = good;
  bad.mtu_bytes = 255;
  CHECK(bench.why_not(bad) == "mtu: less than 256");
  bad = good;
  bad.gid = {};
  CHECK(bench.why_not(bad) == "neither gid nor lid");
  bad.lid = 3;
  CHECK(bench.why_not(bad) == "accepted");
  bad = good;
  bad.operation = RcOperation::kWrite;
  CHECK(bench.why_not(bad) == "one-sided probes are not allowed here");
  CHECK(bench.transport.next_id == 2);
  bench.acceptor.attach(nullptr);
  CHECK(bench.why_not(good) == "the device is not open");
}

TEST_CASE("an acceptor for no connections at all says so") {
  Bench bench({.max_connections = 0});
  CHECK(bench.ask("h1", 1).error().message() == "RC probes are switched off here");
}

TEST_CASE("one-sided probes where they are allowed") {
  Bench bench({.one_sided = true});
  RcParameters remote{.qpn = 1, .mtu_bytes = 1024, .operation = RcOperation::kRead};
  remote.gid[0] = 1;
  CHECK(bench.why_not(remote) == "accepted");
  CHECK(bench.transport.live.at(1).operation == RcOperation::kRead);
}

TEST_CASE("what cannot be connected leaves nothing behind") {
  Bench bench;
  bench.transport.connect_error = "no route";
  CHECK(bench.ask("h1", 1).error().message() == "no route");
  CHECK(bench.transport.live.empty());
  bench.transport.create_error = "no memory";
  CHECK(bench.ask("h1", 1).error().message() == "no memory");
  CHECK(bench.acceptor.connections() == 0);
}

TEST_CASE("the same queue pair again replaces the old end") {
  Bench bench;
  REQUIRE(bench.ask("h1", 0x31));
  REQUIRE(bench.ask("h2", 0x31));
  REQUIRE(bench.ask("h1", 0x31));
  CHECK(bench.transport.destroyed == std::map<RcConnectionId, int>{{1, 1}});
  CHECK(bench.acceptor.connections() == 2);
}

TEST_CASE("a handful for each peer: its oldest goes") {
  Bench bench;
  REQUIRE(bench.ask("h2", 0x31));
  for (std::uint32_t qpn = 1; qpn <= 6; ++qpn) REQUIRE(bench.ask("h1", qpn));
  CHECK(bench.acceptor.connections() == 5);
  CHECK(bench.transport.destroyed == std::map<RcConnectionId, int>{{2, 1}, {3, 1}});
}

TEST_CASE("64 in all, then others are refused until some were idle") {
  Bench bench;
  for (int i = 0; i < 64; ++i) REQUIRE(bench.ask("h" + std::to_string(i), 1));
  bench.clock.advance(1s);
  const auto refused = bench.ask("another", 1);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "it has 64 connections already, the most it takes");
  CHECK(bench.ask("h5", 2));  // of a peer that has one more than it needs
  CHECK(bench.acceptor.connections() == 64);
}

TEST_CASE("connections are made at a bounded rate") {
  Bench bench({.max_connections = 4, .max_rate = 2});
  for (int i = 0; i < 4; ++i) REQUIRE(bench.ask("h1", 1));
  CHECK(bench.ask("h1", 1).error().message() == "too many new connections a second");
  bench.clock.advance(500ms);
  CHECK(bench.ask("h1", 1));
}

TEST_CASE("idle connections go after 90 s, those never used sooner") {
  Bench bench;
  CHECK_FALSE(bench.acceptor.next_wakeup());
  REQUIRE(bench.ask("used", 1));
  REQUIRE(bench.ask("unused", 2));
  bench.clock.advance(10s);
  bench.acceptor.received(1, 1, {bench.clock.steady(), {}});
  bench.acceptor.received(99, 1, {bench.clock.steady(), {}});
  CHECK(bench.acceptor.next_wakeup() == bench.clock.steady() + 5s);
  bench.clock.advance(5s);
  bench.acceptor.work();
  CHECK(bench.transport.destroyed == std::map<RcConnectionId, int>{{2, 1}});
  bench.clock.advance(84s);
  bench.acceptor.work();
  CHECK(bench.acceptor.connections() == 1);
  bench.clock.advance(1s);
  bench.acceptor.work();
  CHECK(bench.acceptor.connections() == 0);
  CHECK(bench.transport.live.empty());
}

TEST_CASE("what breaks is dropped, once") {
  Bench bench;
  REQUIRE(bench.ask("h1", 1));
  REQUIRE(bench.ask("h2", 2));
  bench.acceptor.broken(1, "flushed");
  bench.acceptor.broken(1, "flushed");
  bench.acceptor.qp_broken(test::ScriptedRc::qpn_of(2));
  bench.acceptor.qp_broken(0xbad);
  CHECK(bench.transport.destroyed == std::map<RcConnectionId, int>{{1, 1}, {2, 1}});
  CHECK(bench.acceptor.connections() == 0);
}

TEST_CASE("only unreliable messages are sent back") {
  Bench bench;
  RcParameters remote{.qpn = 1, .mtu_bytes = 1024, .service = RcService::kUnreliable};
  remote.gid[0] = 1;
  REQUIRE(bench.acceptor.accept("uc", remote));
  REQUIRE(bench.ask("rc", 1));
  bench.acceptor.received(1, 77, {bench.clock.steady(), {}});
  bench.acceptor.received(2, 78, {bench.clock.steady(), {}});
  REQUIRE(bench.transport.posted.size() == 1);
  CHECK(bench.transport.posted[0].id == 1);
  CHECK(bench.transport.posted[0].number == 77);
  bench.transport.post_error = "full";
  bench.acceptor.received(1, 79, {bench.clock.steady(), {}});
  CHECK(bench.acceptor.connections() == 1);
}
