#include "exporters/connection_table.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::exporters;
using namespace std::chrono_literals;
using Phase = ConnectionPhase;

namespace {

const rdmadiag::core::SteadyTime kStart{};

ConnectionTable small_table() {
  return ConnectionTable({.total = 3, .per_group = 2, .request = 10s, .idle = 60s, .send = 30s});
}

}  // namespace

TEST_CASE("with room for it a client is admitted and nobody has to go") {
  auto table = small_table();
  CHECK(table.admit("a", kStart).admitted);
  table.add(1, "a", kStart);
  table.add(2, "a", kStart);
  const auto admission = table.admit("b", kStart);
  CHECK(admission.admitted);
  CHECK_FALSE(admission.evicted);
}

TEST_CASE("a full table lets the longest waiting connection go") {
  auto table = small_table();
  table.add(1, "a", kStart);
  table.add(2, "b", kStart + 1s);
  table.add(3, "c", kStart + 2s);
  table.enter(1, Phase::kHandling, kStart + 3s);
  const auto first = table.admit("d", kStart + 4s);
  CHECK(first.admitted);
  CHECK(first.evicted == 2);
  CHECK(table.size() == 2);
  table.add(4, "d", kStart + 4s);
  const auto second = table.admit("e", kStart + 5s);
  CHECK(second.evicted == 3);
}

TEST_CASE("when every connection is being served a new client is turned away") {
  auto table = small_table();
  for (const int fd : {1, 2, 3}) {
    table.add(fd, std::to_string(fd), kStart);
    table.enter(fd, Phase::kHandling, kStart);
  }
  CHECK_FALSE(table.admit("d", kStart + 1h).admitted);
  CHECK(table.expire(kStart + 1h).empty());
}

TEST_CASE("one address over its limit only harms itself") {
  auto table = small_table();
  table.add(1, "other", kStart);
  table.add(2, "flood", kStart + 1s);
  table.add(3, "flood", kStart + 2s);
  const auto admission = table.admit("flood", kStart + 3s);
  CHECK(admission.admitted);
  CHECK(admission.evicted == 2);
}

TEST_CASE("an unnamed group has no limit of its own") {
  auto table = small_table();
  table.add(1, "", kStart);
  table.add(2, "", kStart);
  const auto admission = table.admit("", kStart);
  CHECK(admission.admitted);
  CHECK_FALSE(admission.evicted);
}

TEST_CASE("who takes long to read the response gives way, who reads it now does not") {
  auto table = small_table();
  for (const int fd : {1, 2, 3}) {
    table.add(fd, std::to_string(fd), kStart);
    table.enter(fd, Phase::kSending, kStart + std::chrono::seconds(fd));
  }
  CHECK_FALSE(table.admit("d", kStart + 3s).admitted);
  CHECK(table.admit("d", kStart + 3500ms).evicted == 1);
}

TEST_CASE("each phase has its time") {
  auto table = small_table();
  table.add(1, "a", kStart);
  CHECK(table.next_deadline() == kStart + 10s);
  table.enter(1, Phase::kRequest, kStart + 9s);  // no new lease
  CHECK(table.next_deadline() == kStart + 10s);
  table.enter(1, Phase::kHandling, kStart + 9s);
  CHECK_FALSE(table.next_deadline());
  table.enter(1, Phase::kSending, kStart + 20s);
  CHECK(table.next_deadline() == kStart + 50s);
  table.enter(1, Phase::kIdle, kStart + 21s);
  CHECK(table.next_deadline() == kStart + 81s);
  CHECK(table.expire(kStart + 80s).empty());
  CHECK(table.expire(kStart + 81s) == std::vector<int>{1});
  CHECK(table.size() == 0);
  table.enter(1, Phase::kIdle, kStart + 82s);  // on its way out it stays there
  CHECK_FALSE(table.next_deadline());
  table.remove(1);
  CHECK_FALSE(table.evict_any(kStart + 90s));
}
