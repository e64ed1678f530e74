#include "probes/pending.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using core::ProbeOutcome;

namespace {

constexpr std::uint32_t kTarget = 5;
constexpr std::uint32_t kSession = 77;

// One prober with a clock that the test moves.
struct Bench {
  explicit Bench(const DeviceClock& clock = {}) : pending(16, {}, clock), device_clock(clock) {}

  WorkId post(std::uint32_t sequence, std::uint32_t target = kTarget) {
    const auto id = pending.add({.target = target,
                                 .session = kSession + target,
                                 .sequence = sequence,
                                 .label = 1,
                                 .posted = now});
    REQUIRE(id);
    return *id;
  }
  WorkId send(std::uint32_t sequence) {
    const WorkId id = post(sequence);
    pending.send_completed(id, true, tick());
    return id;
  }
  Tick tick() const {
    Tick value{.host = now, .device = {}};
    if (device_clock.usable()) value.device = device_now & device_clock.mask;
    return value;
  }
  bool ack(std::uint32_t sequence, std::uint64_t bitmap = 1, std::uint32_t lag_us = 0) {
    return pending.acknowledged({.type = MessageType::kAck1,
                                 .session = kSession + kTarget,
                                 .sequence = sequence,
                                 .arrived_bitmap = bitmap,
                                 .responder_delay_nanoseconds = 2000,
                                 .responder_lag_microseconds = lag_us},
                                header, tick(), now);
  }
  void advance(std::chrono::nanoseconds by) {
    now += by;
    device_now += static_cast<std::uint64_t>(by.count());
    pending.expire(now);
  }
  DecidedProbe only() {
    const auto decided = pending.take_decided();
    REQUIRE(decided.size() == 1);
    return decided.front();
  }

  core::SteadyTime now{1000s};
  std::uint64_t device_now = 0;
  PendingProbes pending;
  DeviceClock device_clock;
  PacketHeader header{.is_ipv4 = true, .traffic_class = 0x6b, .hop_limit = 62};
};

}  // namespace

TEST_CASE("answered in time: ok, with the RTT split in its parts") {
  Bench bench;
  bench.send(1);
  bench.advance(30us);
  CHECK(bench.ack(1));
  const DecidedProbe probe = bench.only();
  CHECK(probe.outcome == ProbeOutcome::kOk);
  CHECK(probe.arrived);
  REQUIRE(probe.sample);
  CHECK(probe.sample->timestamps == core::ProbeTimestamps::kSoftware);
  CHECK(probe.sample->network_rtt == 28us);
  CHECK(probe.sample->responder_delay == 2us);
  CHECK(probe.sample->prober_delay == 0us);
  CHECK(probe.reverse_hop_limit == 62);
  CHECK(bench.pending.size() == 0);
}

TEST_CASE("hardware clocks on both ends, across a wrap of the counter") {
  Bench bench({.mask = 0xffff, .kilohertz = 1'000'000});
  bench.device_now = 0xfff0;
  bench.send(1);
  bench.advance(20us);
  const Message ack1{.type = MessageType::kAck1,
                     .flags = kFlagResponderHardwareTime | kFlagAck2Follows,
                     .session = kSession + kTarget,
                     .sequence = 1};
  CHECK(bench.pending.acknowledged(ack1, bench.header, bench.tick(), bench.now + 3us));
  CHECK(bench.pending.take_decided().empty());
  Message ack2 = ack1;
  ack2.type = MessageType::kAck2;
  ack2.responder_delay_nanoseconds = 5000;
  bench.advance(10us);
  CHECK(bench.pending.acknowledged(ack2, bench.header, bench.tick(), bench.now));
  const DecidedProbe probe = bench.only();
  REQUIRE(probe.sample);
  CHECK(probe.sample->timestamps == core::ProbeTimestamps::kHardware);
  CHECK(probe.sample->network_rtt == 15us);
  CHECK(probe.sample->prober_delay == 3us);
}

TEST_CASE("a counter of kilohertz other than a round one") {
  const DeviceClock clock{.mask = ~std::uint64_t{0}, .kilohertz = 156'250};
  CHECK(clock.elapsed(0, 156'250'000'000'000) == 1'000'000s);
  CHECK(clock.elapsed(~std::uint64_t{0}, 24) == 160ns);
}

TEST_CASE("messages in any order make one outcome") {
  // 0 send completion, 1 ACK1, 2 ACK2
  std::vector<int> order = {0, 1, 2};
  do {
    Bench bench;
    const WorkId id = bench.post(9);
    for (const int step : order) {
      bench.advance(1us);
      const Message ack{.type = step == 1 ? MessageType::kAck1 : MessageType::kAck2,
                        .flags = static_cast<std::uint8_t>(step == 1 ? kFlagAck2Follows : 0),
                        .session = kSession + kTarget,
                        .sequence = 9};
      if (step == 0) {
        bench.pending.send_completed(id, true, bench.tick());
      } else {
        CHECK(bench.pending.acknowledged(ack, bench.header, bench.tick(), bench.now));
        const bool open = bench.pending.size() != 0;
        const bool twice = bench.pending.acknowledged(ack, bench.header, bench.tick(), bench.now);
        CHECK_FALSE((open && twice));
      }
    }
    CHECK(bench.only().outcome == ProbeOutcome::kOk);
  } while (std::ranges::next_permutation(order).found);
}

TEST_CASE("late is not lost") {
  Bench bench;
  bench.send(1);
  bench.advance(501ms);
  CHECK(bench.pending.size() == 1);
  bench.ack(1);
  const DecidedProbe probe = bench.only();
  CHECK(probe.outcome == ProbeOutcome::kLate);
  CHECK_FALSE(probe.sample);
}

TEST_CASE("an answer after the late limit changes nothing") {
  Bench bench;
  bench.send(1);
  bench.now += 6s;
  CHECK_FALSE(bench.ack(1, 1));
  CHECK(bench.only().arrived);
  CHECK_FALSE(bench.ack(1));
  CHECK(bench.pending.take_decided().empty());
}

TEST_CASE("the bitmap of a later ACK says on which way a probe was lost") {
  Bench bench;
  bench.send(0xffffffff);  // lost forward
  bench.send(0);           // its ACK lost
  bench.advance(100ms);
  bench.send(1);
  bench.ack(1, 0b011);
  CHECK(bench.only().outcome == ProbeOutcome::kOk);
  bench.advance(5s);
  const auto decided = bench.pending.take_decided();
  REQUIRE(decided.size() == 2);
  CHECK(decided[0].outcome == ProbeOutcome::kLostForward);
  CHECK_FALSE(decided[0].arrived);
  CHECK(decided[1].outcome == ProbeOutcome::kLostReverse);
  CHECK(decided[1].arrived);
}

TEST_CASE("a probe overtaken by the next one is not lost when it arrives after all") {
  Bench bench;
  bench.send(1);
  bench.send(2);
  bench.advance(10us);
  bench.ack(2, 0b01);
  bench.advance(10us);
  bench.ack(1, 0b1);
  for (const DecidedProbe& probe : bench.pending.take_decided()) {
    CHECK(probe.outcome == ProbeOutcome::kOk);
  }
  CHECK(bench.pending.size() == 0);
}

TEST_CASE("ACKs that overtake each other do not undo an arrival") {
  Bench bench;
  bench.send(1);
  bench.send(2);
  bench.send(3);
  bench.ack(3, 0b111);
  bench.ack(2, 0b01);  // sent before probe 1 arrived
  bench.advance(5s);
  const auto decided = bench.pending.take_decided();
  REQUIRE(decided.size() == 3);
  CHECK(decided[2].probe.sequence == 1);
  CHECK(decided[2].outcome == ProbeOutcome::kLostReverse);
}

TEST_CASE("no later ACK: lost, way unknown") {
  Bench bench;
  bench.send(1);
  bench.advance(4999ms);
  CHECK(bench.pending.size() == 1);
  bench.advance(1ms);
  CHECK(bench.only().outcome == ProbeOutcome::kLostUnknown);
}

TEST_CASE("an ACK older than the bitmap reaches says nothing") {
  Bench bench;
  bench.send(1);
  bench.send(65);
  bench.ack(65, 1);
  bench.advance(5s);
  const auto decided = bench.pending.take_decided();
  REQUIRE(decided.size() == 2);
  CHECK(decided[1].outcome == ProbeOutcome::kLostUnknown);
}

TEST_CASE("ACK1 without its ACK2") {
  Bench bench;
  bench.send(1);
  bench.pending.acknowledged({.type = MessageType::kAck1,
                              .flags = kFlagAck2Follows,
                              .session = kSession + kTarget,
                              .sequence = 1},
                             bench.header, bench.tick(), bench.now);
  bench.advance(5s);
  const DecidedProbe probe = bench.only();
  CHECK(probe.outcome == ProbeOutcome::kOkNoAck2);
  CHECK(probe.arrived);
}

TEST_CASE("local troubles are not the network's") {
  Bench bench;
  SECTION("no send completion") {
    bench.post(1);
    bench.advance(100ms);
  }
  SECTION("failed send completion") {
    bench.pending.send_completed(bench.post(1), false, bench.tick());
  }
  SECTION("the post failed") { bench.pending.post_failed(bench.post(1), ProbeOutcome::kLocalTx); }
  CHECK(bench.only().outcome == ProbeOutcome::kLocalTx);
}

TEST_CASE("what our own stall spoiled is discarded") {
  Bench bench;
  SECTION("answered") {
    bench.send(1);
    bench.pending.own_stall(bench.now, bench.now + 200ms);
    bench.advance(200ms);
    bench.ack(1);
  }
  SECTION("timed out") {
    bench.send(1);
    bench.pending.own_stall(bench.now + 300ms, bench.now + 450ms);
    bench.advance(5s);
  }
  SECTION("send completion not seen") {
    bench.post(1);
    bench.pending.own_stall(bench.now, bench.now + 150ms);
    bench.advance(150ms);
  }
  CHECK(bench.only().outcome == ProbeOutcome::kSelfStall);
}

TEST_CASE("a stall elsewhere in time, or a short one, excuses nothing") {
  Bench bench;
  bench.pending.own_stall(bench.now - 2s, bench.now - 1s);
  bench.send(1);
  bench.pending.own_stall(bench.now, bench.now + 100ms);
  bench.pending.own_stall(bench.now + 501ms, bench.now + 2s);
  bench.advance(5s);
  CHECK(bench.only().outcome == ProbeOutcome::kLostUnknown);
}

TEST_CASE("a peer that was stopped for three seconds is a stalled host") {
  Bench bench;
  bench.send(1);
  bench.advance(1s);
  bench.send(2);
  bench.advance(1950ms);
  bench.ack(1, 0b01, 2'900'000);
  bench.ack(2, 0b11, 0);
  for (const DecidedProbe& probe : bench.pending.take_decided()) {
    CHECK(probe.outcome == ProbeOutcome::kPeerStall);
  }
  bench.advance(1ms);
  bench.send(3);
  bench.advance(600ms);
  bench.ack(3, 0b111, 0);
  CHECK(bench.only().outcome == ProbeOutcome::kLate);
}

TEST_CASE("a probe dropped while the peer was stalled is not a network loss") {
  Bench bench;
  bench.send(1);
  bench.advance(1s);
  bench.send(2);
  bench.advance(1s);
  bench.ack(2, 0b01, 1'990'000);
  bench.advance(5s);
  for (const DecidedProbe& probe : bench.pending.take_decided()) {
    CHECK(probe.outcome == ProbeOutcome::kPeerStall);
  }
}

TEST_CASE("stale: the probe named, or all of the target") {
  Bench bench;
  bench.send(1);
  bench.send(2);
  bench.post(1, kTarget + 1);
  CHECK(bench.pending.stale(kSession + kTarget, 2));
  CHECK_FALSE(bench.pending.stale(kSession + kTarget, 2));
  CHECK(bench.only().probe.sequence == 2);
  bench.pending.target_changed(kTarget);
  const DecidedProbe probe = bench.only();
  CHECK(probe.outcome == ProbeOutcome::kStale);
  CHECK(probe.probe.sequence == 1);
  CHECK(bench.pending.size() == 1);
}

TEST_CASE("impossible samples are dropped and counted, the probe stays ok") {
  Bench bench;
  bench.send(1);
  bench.advance(1us);  // the responder claims 2 µs of it
  bench.ack(1);
  const DecidedProbe probe = bench.only();
  CHECK(probe.outcome == ProbeOutcome::kOk);
  CHECK(probe.invalid_sample);
  CHECK_FALSE(probe.sample);
}

TEST_CASE("a full table refuses, and an old work id reaches nobody") {
  Bench bench;
  const WorkId first = bench.send(1);
  for (std::uint32_t i = 2; i <= 16; ++i) bench.send(i);
  CHECK_FALSE(bench.pending.add({.posted = bench.now}));
  bench.ack(1);
  bench.send(17);  // takes the slot of the first
  CHECK(bench.pending.take_decided().size() == 1);
  bench.pending.send_completed(first, false, bench.tick());
  bench.pending.send_completed({WorkKind::kProbe, 1, 999}, false, bench.tick());
  CHECK(bench.pending.take_decided().empty());
}

TEST_CASE("the next deadline is that of the oldest undecided probe") {
  Bench bench;
  CHECK_FALSE(bench.pending.next_deadline());
  const core::SteadyTime start = bench.now;
  const WorkId id = bench.post(1);
  CHECK(bench.pending.next_deadline() == start + 100ms);
  bench.pending.send_completed(id, true, bench.tick());
  CHECK(bench.pending.next_deadline() == start + 5s);
  bench.advance(10us);
  bench.ack(1);
  CHECK_FALSE(bench.pending.next_deadline());
}

TEST_CASE("work ids survive packing") {
  const WorkId id{WorkKind::kAck2, 0xfedcba98, 0xffff};
  CHECK(unpack_work_id(pack(id)) == id);
}
