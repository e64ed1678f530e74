// The watch against files a test changes, stored dumps, and this machine's netlink groups.
#include "agent/host/watch.h"

#include <linux/netlink.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/fake_transport.h"
#include "tests/support/faulting_reader.h"
#include "tests/support/manual_clock.h"
#include "tests/support/netlink_fixture.h"
#include "tests/support/sample_tree.h"
#include "tests/support/soon.h"

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

class ListedDevices final : public host::NetlinkSource {
 public:
  std::mutex mutex;
  std::vector<host::NetlinkDevice> devices;
  int lists = 0;
  int error_number = 0;

  core::Result<std::vector<host::NetlinkDevice>> list_devices() override {
    const std::lock_guard lock(mutex);
    ++lists;
    if (error_number != 0) return core::errno_error(error_number, "refused by the test");
    return devices;
  }
  // Until the devices as they are now have been listed twice.
  void await_lists() {
    const int before = count();
    CHECK(test::soon([&] { return count() >= before + 3; }));
  }
  int count() {
    const std::lock_guard lock(mutex);
    return lists;
  }
  void fail(int number) {
    const std::lock_guard lock(mutex);
    error_number = number;
  }
  void set(std::size_t number) {
    const std::lock_guard lock(mutex);
    error_number = 0;
    devices.resize(number);
    for (std::size_t i = 0; i < number; ++i) devices[i].name = "rxe" + std::to_string(i);
  }
  core::Result<host::NetlinkPort> port(std::uint32_t, std::uint32_t) override { return {}; }
  core::Result<std::vector<host::NetlinkCounter>> port_statistics(std::uint32_t,
                                                                  std::uint32_t) override {
    return {};
  }
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t) override { return {}; }
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t) override { return {}; }
  core::Result<bool> netns_shared() override { return true; }
};

struct Setup {
  test::SampleTree tree;
  host::WatchParts parts;
  std::shared_ptr<test::FaultingReader> files = std::make_shared<test::FaultingReader>();
  std::shared_ptr<test::FakeTransport> route = std::make_shared<test::FakeTransport>();

  Setup() {
    parts.roots = {tree.sys(), tree.proc(), tree.dev()};
    parts.clock = std::make_shared<test::ManualClock>();
    parts.files = files;
    parts.route = route;
    parts.launch = host::launch_here;
    parts.poll_interval = 1ms;
    parts.list_interval = 1ms;
    route->answer(host::kRtmGetLink, test::netlink_case("link", "up").datagram);
    carrier(4, 3);
    state("mlx5_0", "4: ACTIVE");
  }
  void carrier(int up, int down) {
    tree.write("sys/class/net/h1/carrier_up_count", std::to_string(up) + "\n");
    tree.write("sys/class/net/h1/carrier_down_count", std::to_string(down) + "\n");
  }
  void state(const std::string& device, const std::string& text) {
    tree.write("sys/class/infiniband/" + device + "/ports/1/state", text + "\n");
  }
  std::unique_ptr<host::Watch> start() {
    auto watch = host::Watch::start(parts);
    REQUIRE(watch);
    return *std::move(watch);
  }
};

const host::WatchedPort kRoce{"rxe1", 1, "h1"};
const host::WatchedPort kIb{"mlx5_0", 1, ""};

}  // namespace

TEST_CASE("links are known from the start, and their flaps counted from sysfs") {
  Setup s;
  const auto watch = s.start();
  CHECK(watch->transitions(kRoce)->up == 0);
  watch->set_ports({kRoce});
  s.carrier(6, 5);
  CHECK(test::soon([&] { return watch->transitions(kRoce)->down == 2; }));
  CHECK(test::soon([&] { return watch->transitions(kRoce)->up == 2; }));
}

TEST_CASE("a port without a netdev is looked at by its state") {
  Setup s;
  const auto watch = s.start();
  watch->set_ports({kIb});
  CHECK(test::soon([&] { return watch->transitions(kIb).has_value(); }));
  s.state("mlx5_0", "1: DOWN");
  CHECK(test::soon([&] { return watch->transitions(kIb)->down == 1; }));
  s.state("mlx5_0", "4: ACTIVE");
  CHECK(test::soon([&] { return watch->transitions(kIb)->up == 1; }));
}

TEST_CASE("events of a verbs context count where the poll has not seen them") {
  Setup s;
  s.parts.poll_interval = 1h;
  const auto watch = s.start();
  watch->set_ports({kIb});
  CHECK(test::soon([&] { return watch->transitions(kIb).has_value(); }));
  const auto tell = watch->port_listener();
  tell("mlx5_0", 1, false);
  tell("mlx5_0", 1, true);
  CHECK(watch->transitions(kIb)->down == 1);
  CHECK(watch->transitions(kIb)->up == 1);
}

TEST_CASE("a device that does not answer keeps no other from being watched, nor the end") {
  Setup s;
  s.state("mlx5_1", "4: ACTIVE");
  s.files->hang_read("mlx5_1/ports/1/state");
  auto watch = s.start();
  watch->set_ports({{"mlx5_1", 1, ""}, kIb});
  s.files->wait_for_hang();
  CHECK(test::soon([&] { return watch->transitions(kIb).has_value(); }));
  s.state("mlx5_0", "1: DOWN");
  CHECK(test::soon([&] { return watch->transitions(kIb)->down == 1; }));
  watch.reset();  // would hang here
  s.files->release();
}

TEST_CASE("ports that are not watched any more are left alone") {
  Setup s;
  const auto watch = s.start();
  watch->set_ports({kIb});
  CHECK(test::soon([&] { return watch->transitions(kIb).has_value(); }));
  watch->set_ports({});
  CHECK_FALSE(watch->transitions(kIb));
}

TEST_CASE("where the kernel does not tell of devices their list is compared") {
  Setup s;
  const auto listed = std::make_shared<ListedDevices>();
  listed->set(1);
  s.parts.rdma = listed;
  std::atomic<int> changes = 0;
  s.parts.on_devices_changed = [&] { ++changes; };
  auto watch = s.start();
  listed->await_lists();
  CHECK(changes == 0);
  listed->set(0);
  listed->await_lists();
  CHECK(changes == 1);
  listed->set(2);
  listed->await_lists();
  CHECK(changes == 2);
  listed->fail(EIO);  // says nothing about devices
  listed->await_lists();
  CHECK(changes == 2);
  listed->fail(EPROTONOSUPPORT);  // the module has gone, and all devices with it
  listed->await_lists();
  CHECK(changes == 3);
}

TEST_CASE("devices that come with their module are news") {
  Setup s;
  const auto listed = std::make_shared<ListedDevices>();
  listed->fail(EPROTONOSUPPORT);
  s.parts.rdma = listed;
  std::atomic<int> changes = 0;
  s.parts.on_devices_changed = [&] { ++changes; };
  auto watch = s.start();
  listed->await_lists();
  CHECK(changes == 0);
  listed->set(1);
  listed->await_lists();
  CHECK(changes == 1);
}

TEST_CASE("the link group of this machine's kernel can be listened to") {
  auto listener = host::NetlinkListener::open(NETLINK_ROUTE, host::kLinkGroup);
  REQUIRE(listener);
  CHECK(listener->drain([](const host::Message&) {}));
  CHECK(host::NetlinkListener::open(NETLINK_ROUTE, 20000).error().code ==
        std::errc::invalid_argument);
}
