#include "agent/core/changes.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;
using namespace std::chrono_literals;

namespace {

CounterSample sample(CounterSource source, std::string_view driver, std::string_view name,
                     std::uint64_t value) {
  CounterSample out;
  out.source = source;
  out.spec = find_counter(source, driver, name);
  if (out.spec == nullptr) out.unknown_name = name;
  out.value = value;
  return out;
}

CounterSample port_counter(std::string_view name, std::uint64_t value) {
  return sample(CounterSource::kPortCounters, "", name, value);
}

CounterChange change_of(const CounterSample& before, const CounterSample& now,
                        std::chrono::nanoseconds interval = 10s) {
  const auto changes = counter_changes(std::span(&before, 1), std::span(&now, 1), interval);
  REQUIRE(changes.size() == 1);
  return changes.front();
}

DeviceSnapshot device(std::uint64_t packets, SteadyTime at) {
  DeviceSnapshot out;
  out.name = "mlx5_0";
  out.node_guid = "0c42:a103:0065:1d7e";
  out.driver = "mlx5";
  out.read_steady = at;
  out.counters = {sample(CounterSource::kDeviceHwCounters, "mlx5", "cq_overrun", 1)};
  out.ports.emplace_back();
  out.ports.front().number = 1;
  out.ports.front().counters = {port_counter("port_xmit_packets", packets)};
  return out;
}

HostSnapshot host_of(const DeviceSnapshot& snapshot) {
  HostSnapshot host;
  DeviceEntry entry;
  entry.name = snapshot.name;
  entry.snapshot = std::make_shared<DeviceSnapshot>(snapshot);
  host.devices.push_back(entry);
  return host;
}

}  // namespace

TEST_CASE("a fall is no increase") {
  CHECK(increase(3, 10) == 7u);
  CHECK(increase(10, 10) == 0u);
  CHECK(increase(10, 3) == std::nullopt);
  CHECK(increase(0, UINT64_MAX) == UINT64_MAX);
  CHECK(increase(UINT64_MAX, 0) == std::nullopt);
}

TEST_CASE("rates are in the metric's unit") {
  const CounterChange data =
      change_of(port_counter("port_xmit_data", 1000), port_counter("port_xmit_data", 3000));
  CHECK(data.increase == 2000u);
  CHECK(data.per_second == Approx(800.0));
  CHECK_FALSE(data.reset);
}

TEST_CASE("a counter that fell is a reset without a rate") {
  const CounterChange change =
      change_of(port_counter("symbol_error", 500), port_counter("symbol_error", 2));
  CHECK(change.reset);
  CHECK(change.increase == std::nullopt);
  CHECK(change.per_second == std::nullopt);
  CHECK(change.sample.value == 2);
}

TEST_CASE("a counter at its maximum is flagged though it does not move") {
  const CounterChange change =
      change_of(port_counter("link_downed", 255), port_counter("link_downed", 255));
  CHECK(change.saturated);
  CHECK(change.increase == 0u);
  CHECK_FALSE(
      change_of(port_counter("link_downed", 254), port_counter("link_downed", 254)).saturated);
}

TEST_CASE("without time between two reads there is no rate") {
  const CounterSample before = port_counter("port_xmit_packets", 1);
  const CounterSample now = port_counter("port_xmit_packets", 5);
  for (const auto interval : {0ns, -5ns}) {
    const CounterChange change = change_of(before, now, interval);
    CHECK(change.increase == 4u);
    CHECK(change.per_second == std::nullopt);
  }
}

TEST_CASE("a gauge that falls is no reset") {
  const auto gauge = [](std::uint64_t value) {
    return sample(CounterSource::kPortHwCounters, "bnxt_re", "active_qps", value);
  };
  const CounterChange change = change_of(gauge(9), gauge(3));
  CHECK_FALSE(change.reset);
  CHECK(change.increase == std::nullopt);
}

TEST_CASE("counters are matched by source and name, new ones have no increase") {
  const std::vector<CounterSample> before = {port_counter("port_xmit_packets", 1),
                                             port_counter("odd", 3)};
  const std::vector<CounterSample> now = {
      port_counter("odd", 8), port_counter("port_rcv_packets", 7),
      sample(CounterSource::kPortHwCounters, "mlx5", "odd", 100),
      port_counter("port_xmit_packets", 11)};
  const auto changes = counter_changes(before, now, 1s);
  REQUIRE(changes.size() == 4);
  CHECK(changes[0].per_second == Approx(5.0));
  CHECK(changes[1].increase == std::nullopt);
  CHECK_FALSE(changes[1].reset);
  CHECK(changes[2].increase == std::nullopt);
  CHECK(changes[3].increase == 10u);
}

TEST_CASE("a device's own read times make its rates") {
  const SteadyTime start{};
  const DeviceSnapshot before = device(100, start);
  const DeviceSnapshot now = device(300, start + 4s);
  const DeviceChanges changes = device_changes(&before, now);
  CHECK(changes.interval == 4s);
  REQUIRE(changes.ports.size() == 1);
  CHECK(changes.ports[0].number == 1);
  CHECK(changes.ports[0].counters[0].per_second == Approx(50.0));
  CHECK(changes.counters[0].increase == 0u);
}

TEST_CASE("another device under the same name has nothing to compare with") {
  const DeviceSnapshot before = device(100, SteadyTime{});
  DeviceSnapshot now = device(300, SteadyTime{} + 4s);
  now.node_guid = "ffff:ffff:ffff:ffff";
  CHECK_FALSE(is_same_device(before, now));
  const DeviceChanges changes = device_changes(&before, now);
  CHECK(changes.interval == 0ns);
  CHECK(changes.ports[0].counters[0].increase == std::nullopt);

  now.node_guid.clear();
  CHECK(is_same_device(before, now));
}

TEST_CASE("hot-plugged ports and devices appear without an increase") {
  const DeviceSnapshot before = device(100, SteadyTime{});
  DeviceSnapshot now = device(300, SteadyTime{} + 1s);
  now.ports.push_back(now.ports.front());
  now.ports.back().number = 2;
  const auto grown = host_changes(host_of(before), host_of(now));
  REQUIRE(grown.size() == 1);
  CHECK(grown[0].ports[0].counters[0].increase == 200u);
  CHECK(grown[0].ports[1].counters[0].increase == std::nullopt);

  const auto fresh = host_changes(HostSnapshot{}, host_of(now));
  REQUIRE(fresh.size() == 1);
  CHECK(fresh[0].ports[0].counters[0].increase == std::nullopt);

  HostSnapshot stuck = host_of(now);
  stuck.devices.front().snapshot = nullptr;
  CHECK(host_changes(host_of(before), stuck).empty());
}
