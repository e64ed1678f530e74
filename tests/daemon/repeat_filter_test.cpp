#include "agent/daemon/repeat_filter.h"

#include <catch2/catch.hpp>

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;

const core::SteadyTime kStart{1h};

TEST_CASE("a message passes a few times a window, the rest is counted") {
  RepeatFilter filter({.window = 60s, .passes = 2});
  CHECK(filter.pass("a", kStart) == 0u);
  CHECK(filter.pass("a", kStart + 1s) == 0u);
  CHECK_FALSE(filter.pass("a", kStart + 2s));
  CHECK_FALSE(filter.pass("a", kStart + 59s));
  CHECK(filter.pass("b", kStart + 59s) == 0u);
  CHECK(filter.pass("a", kStart + 60s) == 2u);
  CHECK(filter.pass("a", kStart + 61s) == 0u);
  CHECK_FALSE(filter.pass("a", kStart + 62s));
  CHECK(filter.pass("a", kStart + 121s) == 1u);
}

TEST_CASE("memory is bounded, and a full filter loses no message") {
  RepeatFilter filter({.window = 60s, .passes = 1, .messages = 2});
  CHECK(filter.pass("a", kStart) == 0u);
  CHECK(filter.pass("b", kStart) == 0u);
  CHECK(filter.pass("c", kStart) == 0u);
  CHECK(filter.pass("c", kStart) == 0u);
  CHECK_FALSE(filter.pass("a", kStart));
  // b is old and owes nobody a count: its place is free again.
  CHECK(filter.pass("c", kStart + 61s) == 0u);
  CHECK_FALSE(filter.pass("c", kStart + 62s));
}

}  // namespace
}  // namespace rdmadiag::daemon
