// Collecting for a thread that must not wait.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kErrors = "mlx5_0/ports/1/counters/port_rcv_errors";
constexpr auto kPatience = 200ms;

// Reads until it is done in time: what took longer the last time is not tried.
void make_quick(const HostFixture& fixture, host::Collector& collector) {
  do {
    fixture.pass();
  } while (collector.try_collect(kPatience) == nullptr && collector.collect() != nullptr);
}

}  // namespace

TEST_CASE("what is quick to read is there without waiting") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  CHECK(collector->try_collect(1h) == nullptr);  // nothing is listed yet
  CHECK(fixture.files->reads() == 0);
  const HostPointer first = collector->collect();
  CHECK(collector->try_collect(1h) == first);

  fixture.tree.write(std::string("sys/class/infiniband/") + kErrors, "4711\n");
  fixture.pass();
  const HostPointer second = collector->try_collect(1h);
  REQUIRE(second != nullptr);
  CHECK(second->devices.size() == 5);
  CHECK(value_of(port_of(*second, "mlx5_0").counters, "port_rcv_errors") == 4711U);
  CHECK(collector->collect() == second);
}

TEST_CASE("where devices have to be listed first nothing is begun") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  REQUIRE(collector->collect() != nullptr);
  fixture.pass();
  const std::size_t reads = fixture.files->reads();
  SECTION("asked for") { collector->rescan(); }
  SECTION("other options") { collector->reconfigure(fixture.options); }
  SECTION("it is time") { fixture.pass(fixture.options.rescan_interval); }
  CHECK(collector->try_collect(1h) == nullptr);
  CHECK(fixture.files->reads() == reads);
  CHECK(collector->collect()->devices.size() == 5);
  fixture.pass();
  CHECK(collector->try_collect(1h) != nullptr);
}

TEST_CASE("what takes longer is not waited for, and the next to collect ends it") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 2s;
  const auto collector = fixture.make();
  const HostPointer first = collector->collect();
  make_quick(fixture, *collector);
  const std::size_t reads = fixture.files->reads_of(kErrors);
  fixture.files->hang_read(kErrors);
  fixture.pass();
  CHECK(collector->try_collect(kPatience) == nullptr);
  fixture.files->wait_for_hang();
  CHECK(collector->try_collect(1h) == nullptr);  // it is begun already
  const HostPointer second = collector->collect();
  CHECK(second != first);
  CHECK(find_entry(*second, "mlx5_0")->stuck);
  for (const char* other : {"mlx5_1", "mlx5_2", "mlx5_3", "mlx5_4"}) {
    CHECK(port_of(*second, other).counters.size() > 20);
  }
  CHECK(fixture.files->reads_of(kErrors) == reads + 1);

  fixture.files->release();
  HostPointer later;
  do {
    fixture.pass();
    later = collector->collect();
  } while (find_entry(*later, "mlx5_0")->stuck);
  CHECK(value_of(port_of(*later, "mlx5_0").counters, "port_rcv_errors"));

  // For a while it is read apart, and not held to the short time.
  fixture.pass();
  CHECK(collector->try_collect(1h) == nullptr);
  CHECK_FALSE(find_entry(*collector->collect(), "mlx5_0")->stuck);
  HostPointer tried;
  for (int i = 0; i < 1000 && !tried; ++i) {
    fixture.pass();
    tried = collector->try_collect(1h);
    if (!tried) CHECK_FALSE(find_entry(*collector->collect(), "mlx5_0")->stuck);
  }
  REQUIRE(tried);
  CHECK(port_of(*tried, "mlx5_0").counters.size() > 20);
}

TEST_CASE("what took long the last time is not tried") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  REQUIRE(collector->collect() != nullptr);
  fixture.pass();
  const std::size_t reads = fixture.files->reads();
  CHECK(collector->try_collect(1ns) == nullptr);
  std::this_thread::sleep_for(50ms);  // were it begun, it would be read by now
  CHECK(fixture.files->reads() == reads);
}

TEST_CASE("what was begun and left for long is not taken for new") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.deadline = 2s;
  const auto collector = fixture.make();
  REQUIRE(collector->collect() != nullptr);
  make_quick(fixture, *collector);
  fixture.files->hang_read(kErrors);
  fixture.pass();
  CHECK(collector->try_collect(kPatience) == nullptr);
  fixture.files->wait_for_hang();
  fixture.files->release();
  std::this_thread::sleep_for(fixture.options.deadline);
  fixture.tree.write("sys/class/infiniband/mlx5_4/ports/1/counters/port_rcv_errors", "4711\n");
  const HostPointer host = collector->collect();
  CHECK(value_of(port_of(*host, "mlx5_4").counters, "port_rcv_errors") == 4711U);
  CHECK_FALSE(find_entry(*host, "mlx5_0")->stuck);
}

TEST_CASE("a device that vanishes is left to whoever may list anew") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  REQUIRE(collector->collect() != nullptr);
  fixture.files->fail_read(kErrors, ENODEV);
  fixture.tree.remove("sys/class/infiniband/mlx5_0");
  fixture.pass();
  const std::size_t lists = fixture.files->lists();
  CHECK(collector->try_collect(1h) == nullptr);
  CHECK(fixture.files->lists() == lists);
  const HostPointer host = collector->collect();
  CHECK_FALSE(find_entry(*host, "mlx5_0")->present);
  CHECK(port_of(*host, "mlx5_1").counters.size() > 20);
}

TEST_CASE("those who wait and those who do not lose nothing side by side") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  REQUIRE(collector->collect() != nullptr);
  std::atomic<int> incomplete = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        fixture.pass();
        if (i == 0 && round % 10 == 0) collector->rescan();
        const HostPointer tried = i % 2 == 0 ? collector->try_collect(round * 1ms) : nullptr;
        const HostPointer host = tried ? tried : collector->collect();
        if (host->devices.size() != 5 || port_of(*host, "mlx5_0").counters.empty()) ++incomplete;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(incomplete == 0);
}
