// What follows the watch in the daemon, over files a test changes and a list of devices it sets.
#include "agent/daemon/watching.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>

#include "agent/daemon/observer.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"
#include "tests/support/soon.h"

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;

class ListedDevices final : public host::NetlinkSource {
 public:
  void set(std::vector<std::string> names) {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
  }
  [[nodiscard]] int lists() const { return lists_; }

  core::Result<std::vector<host::NetlinkDevice>> list_devices() override {
    const std::lock_guard lock(mutex_);
    ++lists_;
    std::vector<host::NetlinkDevice> devices;
    for (const std::string& name : names_) devices.emplace_back().name = name;
    return devices;
  }
  core::Result<host::NetlinkPort> port(std::uint32_t, std::uint32_t) override { return {}; }
  core::Result<std::vector<host::NetlinkCounter>> port_statistics(std::uint32_t,
                                                                  std::uint32_t) override {
    return {};
  }
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t) override { return {}; }
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t) override { return {}; }
  core::Result<bool> netns_shared() override { return true; }

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
  std::atomic<int> lists_ = 0;
};

struct Setup {
  test::SampleTree tree;
  std::shared_ptr<test::ManualClock> clock = std::make_shared<test::ManualClock>();
  std::shared_ptr<ListedDevices> listed = std::make_shared<ListedDevices>();
  std::atomic<int> rescans = 0;
  std::atomic<int> looks = 0;
  WatchingParts parts;

  Setup() {
    state("mlx5_0", "4: ACTIVE");
    parts.watch.roots = {tree.sys(), tree.proc(), tree.dev()};
    parts.watch.clock = clock;
    parts.watch.rdma = listed;
    parts.watch.poll_interval = 1ms;
    parts.watch.list_interval = 1ms;
    parts.rescan = [this] { ++rescans; };
    parts.observe = [this] { ++looks; };
    parts.settle = 1ms;
  }
  void state(const std::string& device, const std::string& text) {
    tree.write("sys/class/infiniband/" + device + "/ports/1/state", text + "\n");
  }
  std::unique_ptr<Watching> start() {
    auto watching = Watching::start(std::move(parts));
    REQUIRE(watching);
    return *std::move(watching);
  }
  // Until the list as it is now has been looked at.
  void await_lists() const {
    const int before = listed->lists();
    CHECK(test::soon([&] { return listed->lists() >= before + 3; }));
  }
};

core::DeviceEntry infiniband(const std::string& name) {
  auto snapshot = std::make_shared<core::DeviceSnapshot>();
  snapshot->name = name;
  snapshot->ports.emplace_back().number = 1;
  core::DeviceEntry entry;
  entry.name = name;
  entry.snapshot = std::move(snapshot);
  return entry;
}

core::HostSnapshot host_of(std::vector<core::DeviceEntry> devices) {
  core::HostSnapshot host;
  host.devices = std::move(devices);
  return host;
}

std::uint64_t changes(const Watching& watching) {
  core::PortSnapshot port;
  port.number = 1;
  const auto seen = watching.transitions("mlx5_0", port);
  return seen ? seen->up + seen->down : 999;
}

TEST_CASE("the ports of what was read are followed, and no others") {
  Setup s;
  const auto watching = s.start();
  CHECK(changes(*watching) == 999);
  watching->follow(host_of({infiniband("mlx5_0")}));
  CHECK(test::soon([&] { return changes(*watching) == 0; }));
  s.state("mlx5_0", "1: DOWN");
  CHECK(test::soon([&] { return changes(*watching) == 1; }));
  s.state("mlx5_0", "4: ACTIVE");
  CHECK(test::soon([&] { return changes(*watching) == 2; }));
  watching->follow(host_of({}));
  CHECK(test::soon([&] { return changes(*watching) == 999; }));
}

TEST_CASE("a device that does not answer is watched all the same") {
  Setup s;
  const auto watching = s.start();
  watching->follow(host_of({infiniband("mlx5_0")}));
  CHECK(test::soon([&] { return changes(*watching) == 0; }));
  s.state("mlx5_0", "1: DOWN");
  CHECK(test::soon([&] { return changes(*watching) == 1; }));
  core::DeviceEntry stuck = infiniband("mlx5_0");
  stuck.snapshot = nullptr;
  stuck.stuck = true;
  watching->follow(host_of({stuck, infiniband("mlx5_1")}));
  s.state("mlx5_0", "4: ACTIVE");
  CHECK(test::soon([&] { return changes(*watching) == 2; }));
}

TEST_CASE("devices that come and go are looked at, twice, and only then") {
  Setup s;
  s.listed->set({"rxe0"});
  const auto watching = s.start();
  s.await_lists();
  if (s.listed->lists() == 0) return;  // a kernel that notifies: the lab sees to it
  CHECK(s.looks == 0);
  s.listed->set({"rxe0", "rxe1"});
  CHECK(test::soon([&] { return s.looks == 2; }));
  s.await_lists();
  CHECK(s.looks == 2);
  CHECK(s.rescans == 3);  // at once, and with each look
}

TEST_CASE("nothing is looked at after the end") {
  Setup s;
  s.parts.settle = 1h;
  s.listed->set({"rxe0"});
  auto watching = s.start();
  s.await_lists();
  s.listed->set({});
  CHECK(test::soon([&] { return s.looks == 1; }));
  watching.reset();  // does not wait for the hour
  CHECK(s.looks == 1);
}

TEST_CASE("an observation counts what happened between reads") {
  Setup s;
  test::SampleTree tree("mlx5_ib_ndr");
  s.parts.watch.roots = {tree.sys(), tree.proc(), tree.dev()};
  const auto watching = s.start();
  host::CollectorParts reading;
  reading.clock = s.clock;
  host::Collector collector({tree.sys(), tree.proc(), tree.dev()}, {}, reading);
  Observer observer(collector, {});
  CHECK_FALSE(observer.observe()->ports.at(0).state_changes);
  observer.watch(*watching);
  const auto status = [&] {
    s.clock->advance(2s);
    return observer.observe()->ports.at(0);
  };
  CHECK(test::soon([&] { return status().state_changes == 0U; }));
  CHECK_FALSE(status().last_state_change);
  const std::string file = "sys/class/infiniband/" + status().device + "/ports/" +
                           std::to_string(status().port) + "/state";
  tree.write(file, "1: DOWN\n");
  CHECK(test::soon([&] { return status().state_changes == 1U; }));
  tree.write(file, "4: ACTIVE\n");
  CHECK(test::soon([&] { return status().state_changes == 2U; }));
  CHECK(status().last_state_change);
}

}  // namespace
}  // namespace rdmadiag::daemon
