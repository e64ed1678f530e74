#include "exporters/http_workers.h"

#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <latch>
#include <memory>
#include <thread>

using rdmadiag::exporters::HttpWorkers;
using Lane = HttpWorkers::Lane;

TEST_CASE("the queue is bounded and jobs over it are dropped") {
  std::latch running(1);
  std::latch release(1);
  std::atomic<int> done = 0;
  {
    HttpWorkers workers(1, 2);
    REQUIRE(workers.submit(Lane::kNormal, [&] {
      running.count_down();
      release.wait();
    }));
    running.wait();
    CHECK(workers.submit(Lane::kNormal, [&] { ++done; }));
    std::latch last(1);
    CHECK(workers.submit(Lane::kNormal, [&] {
      ++done;
      last.count_down();
    }));
    CHECK_FALSE(workers.submit(Lane::kNormal, [&] { ++done; }));
    release.count_down();
    last.wait();
  }
  CHECK(done == 2);
}

TEST_CASE("slow jobs leave a worker for the others") {
  std::latch slow_running(1);
  std::latch release(1);
  std::latch normal_done(1);
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  std::latch slow_done(3);
  HttpWorkers workers(2, 8);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(workers.submit(Lane::kSlow, [&, i] {
      most = std::max(most.load(), ++at_once);
      if (i == 0) {
        slow_running.count_down();
        release.wait();
      }
      --at_once;
      slow_done.count_down();
    }));
  }
  slow_running.wait();
  REQUIRE(workers.submit(Lane::kNormal, [&] { normal_done.count_down(); }));
  normal_done.wait();
  release.count_down();
  slow_done.wait();
  CHECK(most == 1);
}

TEST_CASE("no job waits while a worker is idle") {
  constexpr int kThreads = 3;
  std::barrier met(kThreads + 1);
  HttpWorkers workers(kThreads, kThreads);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < kThreads; ++i) {
      REQUIRE(workers.submit(Lane::kNormal, [&] { met.arrive_and_wait(); }));
    }
    met.arrive_and_wait();
  }
}

TEST_CASE("stopping drops what is queued") {
  std::latch queued(1);
  std::atomic<bool> ran = false;
  auto workers = std::make_unique<HttpWorkers>(1, 1'000'000);
  HttpWorkers* const raw = workers.get();
  REQUIRE(workers->submit(Lane::kNormal, [&] {
    queued.wait();
    while (raw->submit(Lane::kNormal, [&] { ran = true; })) {
      std::this_thread::yield();
    }
  }));
  REQUIRE(workers->submit(Lane::kSlow, [&] { ran = true; }));
  std::jthread stopper([&] { workers.reset(); });
  queued.count_down();
  stopper.join();
  CHECK_FALSE(ran);
}
