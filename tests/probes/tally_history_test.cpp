// The course of one pair: windows with the network's time apart from the hosts'.
#include <catch2/catch.hpp>

#include "probes/tally.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag;
using namespace std::chrono_literals;
using core::ProbeOutcome;
using probes::DecidedProbe;
using probes::Tally;

namespace {

struct Course {
  Course() { tally.set_target(1, {.peer = "n2/rxe0", .leaf = "a", .interval = 1s}); }

  void record(std::chrono::nanoseconds network, std::chrono::nanoseconds here,
              std::chrono::nanoseconds there, ProbeOutcome outcome = ProbeOutcome::kOk) {
    DecidedProbe probe;
    probe.probe.target = 1;
    probe.probe.posted = clock.steady();
    probe.outcome = outcome;
    if (outcome == ProbeOutcome::kOk) {
      probe.sample = {.network_rtt = network, .prober_delay = here, .responder_delay = there};
    }
    tally.record(probe);
  }
  core::PairHistory later(std::chrono::seconds by) {
    clock.advance(by);
    return tally.history("n2/rxe0");
  }

  test::ManualClock clock;
  Tally tally{clock, 0};
};

}  // namespace

TEST_CASE("a pair's window: the network's median and most, the means of both hosts") {
  Course course;
  course.record(10us, 1us, 5us);
  course.record(30us, 3us, 5us);
  course.record(20us, 2us, 8us);
  course.record(0us, 0us, 0us, ProbeOutcome::kLostForward);
  CHECK(course.later(10s).empty());  // not complete
  const core::PairHistory history = course.later(30s);
  REQUIRE(history.size() == 1);
  CHECK(history[0].start == 1'767'225'600);
  CHECK(history[0].sent == 4);
  CHECK(history[0].lost == 1);
  CHECK(history[0].network_p50.value() == Approx(20e-6));
  CHECK(history[0].network_most.value() == Approx(30e-6));
  CHECK(history[0].prober_mean.value() == Approx(2e-6));
  CHECK(history[0].responder_mean.value() == Approx(6e-6));
}

TEST_CASE("a window without an answer has no times, one without a probe is not there") {
  Course course;
  course.record(0us, 0us, 0us, ProbeOutcome::kLostUnknown);
  static_cast<void>(course.later(90s));
  course.record(10us, 1us, 1us);
  const core::PairHistory history = course.later(60s);
  REQUIRE(history.size() == 2);
  CHECK(history[0].lost == 1);
  CHECK_FALSE(history[0].network_p50);
  CHECK_FALSE(history[0].responder_mean);
  CHECK(history[1].start - history[0].start == 90);
}

TEST_CASE("the course of a pair is bounded, the oldest windows go") {
  Course course;
  for (std::size_t i = 0; i < core::kPairWindows + 5; ++i) {
    course.record(10us, 1us, 1us);
    course.clock.advance(30s);
  }
  const core::PairHistory history = course.later(10s);
  CHECK(history.size() == core::kPairWindows);
  CHECK(history.front().start == 1'767'225'600 + 5 * 30);
  CHECK(course.tally.history("other").empty());
}
