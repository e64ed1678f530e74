#include "agent/core/trails.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;
using namespace std::chrono_literals;

namespace {

// One device whose only port has one counter.
DeviceSnapshot counting(std::uint64_t value, std::chrono::seconds at, std::string counter = "c") {
  DeviceSnapshot device;
  device.name = "mlx5_0";
  device.read_steady = SteadyTime(at);
  PortSnapshot& port = device.ports.emplace_back();
  CounterSample& sample = port.counters.emplace_back();
  sample.unknown_name = std::move(counter);
  sample.value = value;
  return device;
}

HostSnapshot host_of(const DeviceSnapshot& device) {
  HostSnapshot host;
  host.taken_steady = device.read_steady;
  DeviceEntry& entry = host.devices.emplace_back();
  entry.name = device.name;
  entry.snapshot = std::make_shared<const DeviceSnapshot>(device);
  return host;
}

void observe(TrailRecorder& recorder, std::uint64_t value, std::chrono::seconds at) {
  recorder.observe(host_of(counting(value, at)));
}

}  // namespace

TEST_CASE("the course of a counter: rates between its reads, the last one now") {
  TrailRecorder recorder;
  observe(recorder, 100, 0s);
  observe(recorder, 150, 10s);
  const auto steps = trail_steps(recorder.points(), counting(450, 20s));
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].size() == 2);
  CHECK(steps[0][0].from == 0s);
  CHECK(steps[0][0].to == 10s);
  CHECK(steps[0][0].per_second == 5);
  CHECK(steps[0][1].per_second == 30);
}

TEST_CASE("a counter that fell has no rate there, and goes on from its new value") {
  TrailRecorder recorder;
  observe(recorder, 100, 0s);
  observe(recorder, 10, 10s);
  const auto steps = trail_steps(recorder.points(), counting(40, 20s))[0];
  REQUIRE(steps.size() == 2);
  CHECK_FALSE(steps[0].per_second);
  CHECK(steps[1].per_second == 3);
}

TEST_CASE("points of other counters, of another device or of the same read are left out") {
  TrailRecorder recorder;
  recorder.observe(host_of(counting(1, 0s, "other")));
  DeviceSnapshot foreign = counting(1, 10s);
  foreign.name = "mlx5_1";
  recorder.observe(host_of(foreign));
  DeviceSnapshot replaced = counting(1, 20s);
  replaced.node_guid = "0002:c903:0000:0001";
  recorder.observe(host_of(replaced));
  observe(recorder, 1, 30s);
  CHECK(trail_steps(recorder.points(), counting(1, 30s))[0].empty());
  CHECK(trail_steps(recorder.points(), counting(1, 40s))[0].size() == 1);
  CHECK(trail_steps({}, counting(1, 40s))[0].empty());
}

TEST_CASE("however long it runs, the points are few and reach back to the start") {
  TrailRecorder recorder;
  for (int second = 0; second < 5000; ++second) {
    observe(recorder, static_cast<std::uint64_t>(second), std::chrono::seconds(second));
    REQUIRE(recorder.points().size() < TrailRecorder::kMostPoints);
  }
  CHECK(recorder.points().size() >= TrailRecorder::kMostPoints / 2 - 1);
  CHECK(recorder.points().front()->at == SteadyTime(0s));
  const auto steps = trail_steps(recorder.points(), counting(5000, 5000s))[0];
  CHECK(steps.back().to == 5000s);
  for (const TrailStep& step : steps) CHECK(step.per_second == 1);
}
