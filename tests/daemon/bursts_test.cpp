#include "agent/daemon/bursts.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::daemon {
namespace {

using namespace std::chrono_literals;

struct Setup {
  test::SampleTree tree;
  host::BurstParts parts;

  Setup() {
    tree.write("sys/class/infiniband/a/ports/1/counters/port_rcv_data", "100\n");
    parts.clock = std::make_shared<test::ManualClock>();
    parts.cpu_time = [] { return 0ns; };
  }
  [[nodiscard]] host::Roots roots() const { return {tree.sys(), tree.proc(), tree.dev()}; }
};

core::DeviceEntry device(const std::string& name) {
  auto snapshot = std::make_shared<core::DeviceSnapshot>();
  snapshot->name = name;
  core::PortSnapshot& port = snapshot->ports.emplace_back();
  port.number = 1;
  core::CounterSample& sample = port.counters.emplace_back();
  sample.source = core::CounterSource::kPortCounters;
  sample.spec = core::find_counter(sample.source, "mlx5", "port_rcv_data");
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

config::BurstSampling on() {
  config::BurstSampling config;
  config.enabled = true;
  config.rate = 100;
  config.window = 60s;
  return config;
}

TEST_CASE("nothing is sampled unless asked for") {
  Setup s;
  Bursts bursts(s.roots(), s.parts, {});
  bursts.follow(host_of({device("a")}));
  CHECK(bursts.report().empty());
  bursts.configure(on());
  REQUIRE(bursts.report().size() == 1);
  CHECK(bursts.report()[0].device == "a");
  CHECK(bursts.report()[0].window_seconds == 60);
  bursts.configure({});
  CHECK(bursts.report().empty());
}

TEST_CASE("the devices sampled are those of the last read, stuck ones included") {
  Setup s;
  Bursts bursts(s.roots(), s.parts, on());
  CHECK(bursts.report().empty());
  bursts.follow(host_of({device("a"), device("b")}));
  CHECK(bursts.report().size() == 2);
  core::DeviceEntry stuck = device("a");
  stuck.snapshot = nullptr;
  stuck.stuck = true;
  bursts.follow(host_of({stuck}));
  REQUIRE(bursts.report().size() == 1);
  CHECK(bursts.report()[0].device == "a");
  stuck.present = false;
  bursts.follow(host_of({stuck}));
  CHECK(bursts.report().empty());
}

TEST_CASE("a reload that changes nothing keeps what was sampled") {
  Setup s;
  Bursts bursts(s.roots(), s.parts, on());
  bursts.follow(host_of({device("a")}));
  for (int i = 0; i < 2000 && bursts.report()[0].samples == 0; ++i)
    std::this_thread::sleep_for(5ms);
  bursts.configure(on());
  CHECK(bursts.report()[0].samples > 0);
}

}  // namespace
}  // namespace rdmadiag::daemon
