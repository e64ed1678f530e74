#include "agent/core/port_history.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

namespace {

HostSnapshot host_with(double gigabits, int state, const std::string& guid = "0:0:0:1") {
  auto device = std::make_shared<DeviceSnapshot>();
  device->name = "mlx5_0";
  device->node_guid = guid;
  PortSnapshot port;
  port.number = 1;
  port.state = state;
  port.rate = PortRate{gigabits * 1e9, 4, "HDR"};
  device->ports.push_back(port);
  HostSnapshot host;
  DeviceEntry entry;
  entry.name = "mlx5_0";
  entry.snapshot = device;
  host.devices.push_back(entry);
  return host;
}

constexpr int kDown = 1;

}  // namespace

TEST_CASE("a port is expected to run at the highest rate it was seen with") {
  PortHistory history;
  CHECK(history.expected_rate("mlx5_0", 1, {}) == std::nullopt);
  history.observe(host_with(200, kPortStateActive));
  history.observe(host_with(100, kPortStateActive));
  CHECK(history.expected_rate("mlx5_0", 1, {}) == 200e9);
  CHECK(history.expected_rate("mlx5_0", 2, {}) == std::nullopt);
  CHECK(history.highest_rates().size() == 1);
}

TEST_CASE("the operator's word goes first") {
  PortHistory history;
  history.observe(host_with(200, kPortStateActive));
  CHECK(history.expected_rate("mlx5_0", 1, 400e9) == 400e9);
  CHECK(history.expected_rate("mlx5_9", 1, 400e9) == 400e9);
}

TEST_CASE("the rate of a port that is down does not count") {
  PortHistory history;
  history.observe(host_with(400, kDown));
  CHECK(history.expected_rate("mlx5_0", 1, {}) == std::nullopt);
}

TEST_CASE("other hardware under the same name begins anew") {
  PortHistory history;
  history.observe(host_with(400, kPortStateActive));
  history.observe(host_with(100, kPortStateActive, "0:0:0:2"));
  CHECK(history.expected_rate("mlx5_0", 1, {}) == 100e9);
}

TEST_CASE("a device that vanishes and comes back keeps its history") {
  PortHistory history;
  history.observe(host_with(400, kPortStateActive));
  history.observe(HostSnapshot{});
  history.observe(host_with(100, kPortStateActive));
  CHECK(history.expected_rate("mlx5_0", 1, {}) == 400e9);
}
