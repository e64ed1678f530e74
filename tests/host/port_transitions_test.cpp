#include "agent/host/port_transitions.h"

#include <catch2/catch.hpp>

using namespace rdmadiag;
using host::LinkState;

namespace {

constexpr core::SystemTime kStart{std::chrono::seconds(1'767'225'600)};
const host::WatchedPort kPort{"rxe1", 1, "h1"};
const host::WatchedPort kIbPort{"mlx5_0", 1, ""};

LinkState link(bool up, std::optional<std::uint32_t> ups, std::optional<std::uint32_t> downs,
               std::string name = "h1", int index = 12) {
  return {index, std::move(name), up, ups, downs};
}

struct Setup {
  host::PortTransitions transitions;
  core::SystemTime now = kStart;

  void see(const LinkState& state) { transitions.see_link(state, now); }
  void poll(std::uint32_t up, std::uint32_t down) {
    transitions.see_carrier_counts("h1", up, down, now);
  }
  // "up/down"
  std::string counted(const host::WatchedPort& port = kPort) const {
    const auto found = transitions.of(port);
    return found ? std::to_string(found->up) + "/" + std::to_string(found->down) : "unknown";
  }
};

}  // namespace

TEST_CASE("the first sight of a link counts nothing, whatever it went through before") {
  Setup s;
  CHECK(s.counted() == "unknown");
  s.see(link(true, 40, 39));
  CHECK(s.counted() == "0/0");
  CHECK_FALSE(s.transitions.of(kPort)->last_change);
}

TEST_CASE("a flap between two looks is counted once each way") {
  Setup s;
  s.see(link(true, 4, 3));
  s.now += std::chrono::seconds(5);
  s.see(link(true, 5, 4));  // one notification for both
  CHECK(s.counted() == "1/1");
  CHECK(s.transitions.of(kPort)->last_change == s.now);
  s.see(link(true, 5, 4));
  CHECK(s.counted() == "1/1");
}

TEST_CASE("what sysfs shows first is not counted again when the notification comes") {
  Setup s;
  s.see(link(true, 4, 3));
  s.poll(4, 4);
  CHECK(s.counted() == "0/1");
  s.see(link(false, 4, 4));
  CHECK(s.counted() == "0/1");
  s.poll(5, 4);
  CHECK(s.counted() == "1/1");
  s.see(link(true, 5, 4));
  CHECK(s.counted() == "1/1");
}

TEST_CASE("a notification that waited while sysfs was read is older, and counts nothing") {
  Setup s;
  s.see(link(true, 4, 3));
  s.poll(5, 4);              // down and up again
  s.see(link(false, 4, 4));  // what was so in between
  CHECK(s.counted() == "1/1");
  s.see(link(true, 5, 4));
  CHECK(s.counted() == "1/1");
}

TEST_CASE("a look at sysfs that is older than the last notification counts nothing") {
  Setup s;
  s.see(link(true, 4, 3));
  s.see(link(true, 6, 5));
  s.poll(4, 4);
  CHECK(s.counted() == "2/2");
}

TEST_CASE("the administrator's down and up are counted once, however the driver shows them") {
  Setup s;
  s.see(link(true, 4, 3));
  SECTION("carrier with the flag") {
    s.see(link(false, 4, 4));
    s.see(link(true, 5, 4));
  }
  SECTION("carrier after the flag") {
    s.see(link(false, 4, 3));
    s.see(link(false, 4, 4));
    s.see(link(false, 4, 4));
    s.see(link(true, 5, 4));
  }
  SECTION("carrier after the flag both ways, by sysfs") {
    s.see(link(false, 4, 3));
    s.poll(4, 4);
    s.poll(5, 4);
    s.see(link(true, 5, 4));
  }
  SECTION("no carrier to speak of") {
    s.see(link(false, 4, 3));
    s.see(link(true, 4, 3));
  }
  CHECK(s.counted() == "1/1");
  // And what comes after is not swallowed.
  s.see(link(false, 9, 9));
  s.see(link(true, 10, 9));
  CHECK(s.transitions.of(kPort)->down >= 5);
}

TEST_CASE("after an administrator's cycle without a carrier the next real one counts in full") {
  Setup s;
  s.see(link(true, 4, 3));
  s.see(link(false, 4, 3));
  s.see(link(true, 4, 3));
  CHECK(s.counted() == "1/1");
  s.see(link(false, 4, 4));
  CHECK(s.counted() == "1/2");
  s.see(link(true, 5, 4));
  CHECK(s.counted() == "2/2");
}

TEST_CASE("a kernel without carrier counts is followed by its flags") {
  Setup s;
  s.see(link(true, {}, {}));
  s.see(link(false, {}, {}));
  s.see(link(false, {}, {}));
  s.see(link(true, {}, {}));
  CHECK(s.counted() == "1/1");
}

TEST_CASE("a netdev that is made anew goes on counting under its name") {
  Setup s;
  s.see(link(true, 4, 3));
  s.see(link(true, 5, 4));
  s.transitions.forget_link(12);
  CHECK(s.counted() == "1/1");
  s.see(link(false, 0, 1, "h1", 13));
  CHECK(s.counted() == "1/1");
  s.see(link(true, 1, 1, "h1", 13));
  CHECK(s.counted() == "2/1");
}

TEST_CASE("a renamed netdev takes its counts along") {
  Setup s;
  s.see(link(true, 4, 3));
  s.see(link(true, 5, 4));
  s.see(link(true, 5, 4, "ens1"));
  CHECK(s.counted() == "unknown");
  CHECK(s.counted({"rxe1", 1, "ens1"}) == "1/1");
}

TEST_CASE("a dump does not undo what notifications said while it was made") {
  Setup s;
  s.see(link(true, 4, 3));
  const auto since = s.transitions.notifications();
  s.see(link(false, 4, 4));
  s.transitions.see_dumped_link(link(true, 4, 3), since, s.now);
  CHECK(s.counted() == "0/1");
  s.transitions.see_dumped_link(link(true, 6, 5), s.transitions.notifications(), s.now);
  CHECK(s.counted() == "2/2");
}

TEST_CASE("a port without a netdev is counted by its states") {
  Setup s;
  const auto poll = [&](bool up) {
    s.transitions.see_polled_state("mlx5_0", 1, up, s.transitions.events(), s.now);
  };
  poll(true);
  CHECK(s.counted(kIbPort) == "0/0");
  poll(false);
  poll(false);
  poll(true);
  CHECK(s.counted(kIbPort) == "1/1");
}

TEST_CASE("an event and a poll of the same change are one change") {
  Setup s;
  s.transitions.see_polled_state("mlx5_0", 1, true, s.transitions.events(), s.now);
  const auto before = s.transitions.events();  // the file is being read: it says up
  s.transitions.see_state_event("mlx5_0", 1, false, s.now);
  s.transitions.see_polled_state("mlx5_0", 1, true, before, s.now);
  CHECK(s.counted(kIbPort) == "0/1");
  s.transitions.see_polled_state("mlx5_0", 1, false, s.transitions.events(), s.now);
  CHECK(s.counted(kIbPort) == "0/1");
  s.transitions.see_state_event("mlx5_0", 1, true, s.now);
  CHECK(s.counted(kIbPort) == "1/1");
}

TEST_CASE("a device that is gone is not up or down when it comes back") {
  Setup s;
  s.transitions.see_polled_state("mlx5_0", 1, true, s.transitions.events(), s.now);
  s.transitions.forget_device("mlx5_0");
  CHECK(s.counted(kIbPort) == "unknown");
  s.transitions.see_polled_state("mlx5_0", 1, false, s.transitions.events(), s.now);
  CHECK(s.counted(kIbPort) == "0/0");
}
