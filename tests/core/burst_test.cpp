#include "agent/core/burst.h"

#include <catch2/catch.hpp>

namespace rdmadiag::core {
namespace {

using namespace std::chrono_literals;

constexpr auto kRx = static_cast<std::size_t>(BurstCounter::kRxBytes);
constexpr auto kTx = static_cast<std::size_t>(BurstCounter::kTxBytes);
constexpr auto kPause = static_cast<std::size_t>(BurstCounter::kRxPause);
constexpr SteadyTime kStart{std::chrono::hours(24)};
constexpr auto kStep = 20ms;

// Samples of one counter, a step apart.
struct Feed {
  BurstWindow window{10s};
  SteadyTime now = kStart;
  std::uint64_t value = 1000;
  std::size_t counter = kRx;
  std::optional<double> line_rate;

  explicit Feed(std::size_t of = kRx, std::optional<double> rate = {})
      : counter(of), line_rate(rate) {
    put();
  }
  void put() {
    BurstSample sample;
    sample.at = now;
    sample.values[counter] = value;
    window.add(sample, line_rate);
  }
  void move(std::uint64_t by, int steps = 1, std::chrono::nanoseconds step = kStep) {
    for (int i = 0; i < steps; ++i) {
      now += step;
      value += by;
      put();
    }
  }
  [[nodiscard]] BurstStatus report() const {
    BurstStatus status;
    window.report(now, status);
    return status;
  }
};

TEST_CASE("nothing is known before two samples, nor of counters a port has not") {
  Feed feed;
  CHECK_FALSE(feed.report().peak_per_second[kRx]);
  feed.move(0);
  CHECK(feed.report().peak_per_second[kRx] == 0.0);
  CHECK_FALSE(feed.report().peak_per_second[kTx]);
  CHECK_FALSE(feed.report().paused_seconds[kPause]);
  CHECK_FALSE(feed.report().longest_pause_seconds[kPause]);
}

TEST_CASE("the peak is the highest rate in the window, however short it was") {
  Feed feed;
  feed.move(10, 100);
  feed.move(2000);  // 20 ms
  feed.move(10, 100);
  CHECK(feed.report().peak_per_second[kRx] == Approx(100'000));
  feed.move(10, 395);  // it ended 9.9 s ago
  CHECK(feed.report().peak_per_second[kRx] == Approx(100'000));
  feed.move(10, 10);
  CHECK(feed.report().peak_per_second[kRx] == Approx(500));
}

TEST_CASE("a report changes nothing: every scraper sees the same") {
  Feed feed;
  feed.move(2000);
  feed.move(10);
  const auto first = feed.report();
  const auto second = feed.report();
  CHECK(first.peak_per_second[kRx] == second.peak_per_second[kRx]);
}

TEST_CASE("a lower peak shows again when a higher one before it leaves the window") {
  Feed feed;
  feed.move(4000);
  feed.move(10, 200);
  feed.move(2000);
  feed.move(10, 200);
  CHECK(feed.report().peak_per_second[kRx] == Approx(200'000));
  feed.move(10, 150);
  CHECK(feed.report().peak_per_second[kRx] == Approx(100'000));
}

TEST_CASE("without samples in the window there is no peak, which is not a peak of 0") {
  Feed feed;
  feed.move(2000);
  feed.now += 11s;
  CHECK_FALSE(feed.report().peak_per_second[kRx]);
}

TEST_CASE("a count that went back is no peak, nor is the mean over a gap") {
  Feed feed;
  feed.move(10);
  feed.value = 3;
  feed.move(0);
  CHECK(feed.report().peak_per_second[kRx] == Approx(500));
  feed.move(1'000'000'000, 1, BurstWindow::kLongestStep + 1ms);
  CHECK(feed.report().peak_per_second[kRx] == Approx(500));
  feed.move(1'000'000, 1, BurstWindow::kLongestStep);
  CHECK(feed.report().peak_per_second[kRx] == Approx(2'000'000));
}

TEST_CASE("time near the line rate is counted where the line rate is known") {
  Feed unknown;
  unknown.move(2000, 10);
  CHECK_FALSE(unknown.report().near_line_seconds[kRx]);
  Feed feed(kRx, 100'000);
  feed.move(1800, 10);  // 90 %: not above
  CHECK(feed.report().near_line_seconds[kRx] == Approx(0));
  feed.move(1801, 10);
  CHECK(feed.report().near_line_seconds[kRx] == Approx(0.2));
  feed.move(10, 1000);  // a total: does not leave with the window
  CHECK(feed.report().near_line_seconds[kRx] == Approx(0.2));
}

TEST_CASE("the longest pause is the longest run of samples with pauses in it") {
  Feed feed(kPause);
  feed.move(0, 5);
  CHECK(feed.report().longest_pause_seconds[kPause] == Approx(0));
  feed.move(1, 5);
  feed.move(0);
  feed.move(3, 2);
  feed.move(0);
  CHECK(feed.report().longest_pause_seconds[kPause] == Approx(0.1));
  CHECK(feed.report().paused_seconds[kPause] == Approx(0.14));
  feed.move(1, 10);  // one that still lasts
  CHECK(feed.report().longest_pause_seconds[kPause] == Approx(0.2));
  feed.move(0, 600);
  CHECK(feed.report().longest_pause_seconds[kPause] == Approx(0));
  CHECK(feed.report().paused_seconds[kPause] == Approx(0.34));
}

TEST_CASE("a gap ends a run of pauses") {
  Feed feed(kPause);
  feed.move(1, 5);
  feed.move(1, 1, 2s);
  feed.move(1, 2);
  CHECK(feed.report().longest_pause_seconds[kPause] == Approx(0.1));
}

TEST_CASE("a counter that is read less often keeps its own time") {
  Feed feed(kPause);
  BurstSample other;
  other.values[kRx] = 7;
  for (int i = 0; i < 5; ++i) {
    other.at = feed.now + kStep * (i + 1);
    feed.window.add(other, {});
  }
  feed.move(10, 1, kStep * 5);
  CHECK(feed.report().peak_per_second[kPause] == Approx(100));
  CHECK(feed.report().peak_per_second[kRx] == Approx(0));
}

TEST_CASE("what was spent is earned again before the next") {
  CpuBudget budget(0.01);
  CHECK(budget.allows(kStart));
  budget.spend(kStart, 1ms);
  CHECK_FALSE(budget.allows(kStart + 99ms));
  CHECK(budget.allows(kStart + 100ms));
  budget.spend(kStart, 0ms);
  CHECK(budget.allows(kStart));
}

}  // namespace
}  // namespace rdmadiag::core
