#include "agent/daemon/event_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;

TEST_CASE("posted tasks run on the loop's thread, in order, and stop ends it") {
  const auto loop = EventLoop::make().value();
  std::vector<int> order;
  std::thread::id ran_on;
  std::thread other([&] {
    loop->post([&] { order.push_back(1); });
    loop->post([&] {
      order.push_back(2);
      ran_on = std::this_thread::get_id();
    });
    loop->stop();
  });
  REQUIRE(loop->run());
  other.join();
  CHECK(order == std::vector{1, 2});
  CHECK(ran_on == std::this_thread::get_id());
}

TEST_CASE("stop before run is not lost") {
  const auto loop = EventLoop::make().value();
  loop->stop();
  CHECK(loop->run());
}

TEST_CASE("readable descriptors, timers and signals become calls") {
  const auto loop = EventLoop::make().value();
  int pipe_ends[2] = {-1, -1};
  REQUIRE(pipe2(pipe_ends, O_CLOEXEC) == 0);
  const core::UniqueFd reader(pipe_ends[0]);
  const core::UniqueFd writer(pipe_ends[1]);
  block_signals({SIGUSR1});
  std::string events;
  REQUIRE(loop->watch(reader.get(), [&] {
    char byte = 0;
    REQUIRE(read(reader.get(), &byte, 1) == 1);
    events += byte;
    raise(SIGUSR1);
  }));
  REQUIRE(loop->on_signals({SIGUSR1}, [&](int signal) {
    events += signal == SIGUSR1 ? 's' : '?';
    loop->stop();
  }));
  int ticks = 0;
  REQUIRE(loop->every(1ms, [&] {
    if (++ticks == 3) REQUIRE(write(writer.get(), "p", 1) == 1);
  }));
  REQUIRE(loop->run());
  CHECK(events == "ps");
  CHECK(ticks >= 3);
}

TEST_CASE("a bad descriptor is an error, not a silence") {
  const auto loop = EventLoop::make().value();
  const auto status = loop->watch(-1, [] {});
  REQUIRE_FALSE(status);
  CHECK(status.error().message() == "epoll_ctl: Bad file descriptor");
}

}  // namespace
}  // namespace rdmadiag::daemon
