#include "probes/schedule.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "probes/rate_governor.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

constexpr core::SteadyTime kStart{123456s};

// Runs the schedule without delays; the times each target was due.
std::map<std::uint32_t, std::vector<core::SteadyTime>> run(ProbeSchedule& schedule,
                                                           core::SteadyTime from,
                                                           core::SteadyTime until) {
  std::map<std::uint32_t, std::vector<core::SteadyTime>> fired;
  while (schedule.next_due() && *schedule.next_due() < until) {
    const core::SteadyTime now = std::max(from, *schedule.next_due());
    const auto target = schedule.take_due(now);
    REQUIRE(target);
    fired[*target].push_back(now);
  }
  return fired;
}

}  // namespace

TEST_CASE("a new target is probed within a tenth of its interval, then at its phase") {
  for (const std::uint64_t hash : {0ull, 17ull, 999'999'999'999ull, ~0ull}) {
    ProbeSchedule schedule;
    schedule.set(1, 10s, hash, kStart);
    const auto times = run(schedule, kStart, kStart + 60s)[1];
    REQUIRE(times.size() >= 5);
    CHECK(times[0] - kStart <= 1s);
    CHECK(times[1] - times[0] >= 5s);
    for (std::size_t i = 1; i < times.size(); ++i) {
      const auto phase = times[i].time_since_epoch() % 10s;
      CHECK(phase == std::chrono::nanoseconds(hash % 10'000'000'000));
      if (i > 1) CHECK(times[i] - times[i - 1] == 10s);
    }
  }
}

TEST_CASE("phases spread: no two of many targets fire in one burst") {
  ProbeSchedule schedule;
  std::mt19937_64 random(3);
  for (std::uint32_t target = 0; target < 1000; ++target) {
    schedule.set(target, 10s, random(), kStart);
  }
  run(schedule, kStart, kStart + 20s);
  std::map<std::int64_t, int> per_millisecond;
  for (const auto& [target, times] : run(schedule, kStart, kStart + 40s)) {
    CHECK(times.size() == 2);
    for (const auto time : times) ++per_millisecond[time.time_since_epoch() / 10ms];
  }
  for (const auto& [slot, count] : per_millisecond) CHECK(count < 10);
}

TEST_CASE("missed slots are skipped and counted, not made up") {
  ProbeSchedule schedule;
  schedule.set(1, 100ms, 0, kStart);
  CHECK(schedule.take_due(kStart));
  const core::SteadyTime due = *schedule.next_due();
  CHECK(schedule.take_due(due + 3050ms));
  CHECK(schedule.skipped() == 30);
  CHECK_FALSE(schedule.take_due(due + 3050ms));
  CHECK(*schedule.next_due() == due + 3100ms);
}

TEST_CASE("removed targets fire no more, changed ones follow their new interval") {
  ProbeSchedule schedule;
  schedule.set(1, 1s, 5, kStart);
  schedule.set(2, 1s, 6, kStart);
  run(schedule, kStart, kStart + 3s);
  schedule.remove(1);
  schedule.remove(99);
  schedule.set(2, 2s, 6, kStart + 3s);
  const auto fired = run(schedule, kStart + 3s, kStart + 13s);
  CHECK(fired.count(1) == 0);
  CHECK(fired.at(2).size() == 5);
  schedule.remove(2);
  CHECK_FALSE(schedule.next_due());
}

TEST_CASE("setting the same again does not restart a target") {
  ProbeSchedule schedule;
  schedule.set(1, 1s, 0, kStart);
  run(schedule, kStart, kStart + 2s);
  const auto due = schedule.next_due();
  schedule.set(1, 1s, 0, kStart + 2s);
  CHECK(schedule.next_due() == due);
}

TEST_CASE("the rate factor stretches the intervals") {
  ProbeSchedule schedule;
  schedule.set(1, 100ms, 12345, kStart);
  run(schedule, kStart, kStart + 1s);
  schedule.set_rate_factor(0.1, kStart + 1s);
  CHECK(run(schedule, kStart + 1s, kStart + 11s).at(1).size() == 10);
  schedule.set_rate_factor(1, kStart + 11s);
  CHECK(run(schedule, kStart + 11s, kStart + 12s).at(1).size() == 10);
}

TEST_CASE("the governor steps down at once and up only when calm") {
  RateGovernor governor(0.05);
  core::SteadyTime now = kStart;
  std::chrono::nanoseconds cpu{0};
  const auto period = [&](double share) {
    now += 10s;
    cpu += std::chrono::nanoseconds(static_cast<std::int64_t>(share * 1e10));
    return governor.update(cpu, now);
  };
  CHECK(period(1) == 1);  // nothing to compare with yet
  CHECK(period(0.04) == 1);
  CHECK(period(0.2) == 0.5);
  CHECK(period(0.2) == 0.25);
  CHECK(period(0.2) == 0.1);
  CHECK(period(0.2) == 0.1);
  // Fits now, but 2.5 times as much would not.
  for (int i = 0; i < 10; ++i) CHECK(period(i % 2 == 0 ? 0.03 : 0.017) == 0.1);
  for (int i = 0; i < 5; ++i) CHECK(period(0.017) == 0.1);  // would fit, but barely
  CHECK(period(0.01) == 0.1);
  CHECK(period(0.01) == 0.1);
  CHECK(period(0.01) == 0.25);
  for (int i = 0; i < 6; ++i) period(0.001);
  CHECK(governor.factor() == 1);
  CHECK(governor.update(0ns, now + 10s) == 1);
}
