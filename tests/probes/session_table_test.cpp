#include "probes/session_table.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using Verdict = SessionTable::Verdict;

namespace {

constexpr core::SteadyTime kStart{1000s};

SessionKey key(std::uint32_t session, std::uint8_t host = 1) {
  SessionKey value{.source_qpn = 17, .source_epoch = 99, .session = session};
  value.source[15] = host;
  return value;
}

}  // namespace

TEST_CASE("the window's bitmap looks back from the sequence it answers") {
  ReplayWindow window;
  CHECK(window.accept(10) == 0b1u);
  CHECK(window.accept(11) == 0b11u);
  CHECK(window.accept(14) == 0b11001u);
  CHECK(window.accept(13) == 0b1101u);
  CHECK(window.accept(15) == 0b110111u);
  CHECK_FALSE(window.accept(13));
  CHECK_FALSE(window.accept(15));
  CHECK(window.accept(15 + 63) == (std::uint64_t{1} << 63 | 1));
  CHECK_FALSE(window.accept(14));
  CHECK(window.accept(1000) == 1u);
}

TEST_CASE("a window accepts each sequence once, against a plain set, across the wrap") {
  std::mt19937 random(7);
  ReplayWindow window;
  std::set<std::uint32_t> seen;
  std::uint32_t highest = 0xffffffff - 2000;
  REQUIRE(window.accept(highest));
  seen.insert(highest);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint32_t sequence = highest + static_cast<std::uint32_t>(random() % 90) - 80;
    const auto ahead = static_cast<std::int32_t>(sequence - highest);
    const bool fresh = ahead > -64 && !seen.contains(sequence);
    const auto bitmap = window.accept(sequence);
    REQUIRE(bitmap.has_value() == fresh);
    if (!fresh) continue;
    seen.insert(sequence);
    if (ahead > 0) highest = sequence;
    for (std::uint32_t back = 0; back < 64; ++back) {
      const bool told = (*bitmap >> back & 1) != 0;
      const bool tellable = static_cast<std::int32_t>(highest - (sequence - back)) < 64;
      if (tellable) REQUIRE(told == seen.contains(sequence - back));
    }
  }
}

TEST_CASE("sessions are apart by source, QP, epoch and number") {
  SessionTable table({}, kStart);
  CHECK(table.admit(key(1), 5, kStart).verdict == Verdict::kAccepted);
  CHECK(table.admit(key(1), 5, kStart).verdict == Verdict::kReplayed);
  SessionKey other = key(1);
  other.source_epoch = 100;
  CHECK(table.admit(other, 5, kStart).verdict == Verdict::kAccepted);
  other = key(1);
  other.source_qpn = 18;
  CHECK(table.admit(other, 5, kStart).verdict == Verdict::kAccepted);
  CHECK(table.admit(key(2), 5, kStart).verdict == Verdict::kAccepted);
  CHECK(table.admit(key(1, 2), 5, kStart).verdict == Verdict::kAccepted);
  CHECK(table.size() == 5);
}

TEST_CASE("a source over its rate is refused, others and its replays' victims are not") {
  SessionTable table({.rate_per_source = 10}, kStart);
  std::uint32_t sequence = 0;
  for (int i = 0; i < 10; ++i) {
    CHECK(table.admit(key(1), ++sequence, kStart).verdict == Verdict::kAccepted);
  }
  CHECK(table.admit(key(1), ++sequence, kStart).verdict == Verdict::kRateLimited);
  CHECK(table.admit(key(1, 2), 1, kStart).verdict == Verdict::kAccepted);
  CHECK(table.admit(key(1), ++sequence, kStart + 100ms).verdict == Verdict::kAccepted);
  for (int i = 0; i < 1000; ++i) {
    CHECK(table.admit(key(1, 2), 1, kStart).verdict == Verdict::kReplayed);
  }
  for (std::uint32_t i = 2; i <= 10; ++i) {
    CHECK(table.admit(key(1, 2), i, kStart).verdict == Verdict::kAccepted);
  }
}

TEST_CASE("the whole RNIC has a rate too") {
  SessionTable table({.rate = 100}, kStart);
  std::size_t accepted = 0;
  for (std::uint8_t host = 1; host <= 50; ++host) {
    accepted += table.admit(key(1, host), 1, kStart).verdict == Verdict::kAccepted ? 1 : 0;
  }
  CHECK(accepted == 10);  // a tenth of a second's worth at once
}

TEST_CASE("a full table refuses, and forgets who was idle") {
  SessionTable table({.sessions = 3}, kStart);
  for (std::uint32_t session = 1; session <= 3; ++session) {
    CHECK(table.admit(key(session), 1, kStart).verdict == Verdict::kAccepted);
  }
  CHECK(table.admit(key(4), 1, kStart + 30s).verdict == Verdict::kRateLimited);
  CHECK(table.admit(key(3), 2, kStart + 50s).verdict == Verdict::kAccepted);
  CHECK(table.admit(key(4), 1, kStart + 61s).verdict == Verdict::kAccepted);
  CHECK(table.size() == 2);
  CHECK(table.admit(key(3), 2, kStart + 61s).verdict == Verdict::kReplayed);
}

TEST_CASE("a token bucket never exceeds its rate, whatever the clock does") {
  TokenBucket bucket(10, 5, kStart);
  int taken = 0;
  core::SteadyTime now = kStart;
  for (int i = 0; i < 2000; ++i) {
    now += (i % 7 == 0) ? -3ms : 1ms;
    taken += bucket.take(now) ? 1 : 0;
  }
  const std::chrono::duration<double> passed = now - kStart;
  CHECK(taken <= 5 + static_cast<int>(passed.count() * 10) + 1);
  CHECK(taken >= 5 + static_cast<int>(passed.count() * 10) - 1);
}
