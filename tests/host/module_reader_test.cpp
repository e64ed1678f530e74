#include "agent/host/module_reader.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/fake_transport.h"
#include "tests/support/manual_clock.h"
#include "tests/support/netlink_fixture.h"

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

constexpr std::uint16_t kFamily = 0x15;

struct Setup {
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();
  test::ManualClock clock;
  std::vector<std::function<void()>> waiting;
  host::ModuleReader reader{
      "eth2", std::make_shared<host::GenericNetlink>(kernel, "ethtool"),
      [this](std::function<void()> task) { waiting.push_back(std::move(task)); }};

  Setup() { kernel->answer(16, test::netlink_case("ethtool", "family").datagram); }

  host::ModuleResult poll() { return reader.poll(clock.steady(), clock.system()); }
  void run() {
    for (const auto& task : std::exchange(waiting, {})) task();
  }
  // A module of a kind we do not know answers with three bytes: id 0x11 is in the fixture, so the
  // pages after the first are too short.
  void plug() {
    kernel->answer(kFamily, test::netlink_case("ethtool", "module_eeprom").datagram, 31);
  }
};

}  // namespace

TEST_CASE("a module is read beside the caller, once a minute") {
  Setup s;
  s.plug();
  CHECK_FALSE(s.poll().module);
  CHECK(s.waiting.size() == 1);
  CHECK(s.poll().reads == 0);
  CHECK(s.waiting.size() == 1);  // one at a time
  s.run();
  const auto first = s.poll();
  REQUIRE(first.module);
  CHECK(first.module->type == "QSFP28");
  CHECK(first.module->read_at == s.clock.system());
  CHECK(first.reads == 1);
  CHECK_FALSE(first.problems.empty());  // pages that gave fewer bytes than asked for

  s.clock.advance(59s);
  CHECK(s.poll().reads == 1);
  CHECK(s.waiting.empty());
  s.clock.advance(1s);
  (void)s.poll();
  CHECK(s.waiting.size() == 1);
}

TEST_CASE("a read that does not come back is left alone, and none is started after it") {
  Setup s;
  s.plug();
  (void)s.poll();
  s.clock.advance(10min);
  CHECK_FALSE(s.poll().module);
  CHECK(s.waiting.size() == 1);
}

TEST_CASE("a right that is missing is said, and what was read before is not shown as new") {
  Setup s;
  s.kernel->refuse(kFamily, EPERM, 31);
  (void)s.poll();
  s.run();
  const auto refused = s.poll();
  CHECK_FALSE(refused.module);
  REQUIRE(refused.problems.size() == 1);
  CHECK(refused.problems[0].code.value() == EPERM);
}

TEST_CASE("a reader that is gone does not matter to a read still at work") {
  std::vector<std::function<void()>> waiting;
  {
    Setup s;
    s.plug();
    (void)s.poll();
    waiting = std::exchange(s.waiting, {});
  }
  for (const auto& task : waiting) task();
  CHECK(waiting.size() == 1);
}
