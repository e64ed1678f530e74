// Small snapshots by hand, for tests of the renderers.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "agent/core/snapshot.h"

namespace rdmadiag::test {

[[nodiscard]] inline core::CounterSample sample(core::CounterSource source, std::string driver,
                                                std::string name, std::uint64_t value) {
  core::CounterSample result{.source = source, .spec = nullptr, .unknown_name = {}, .value = value};
  result.spec = core::find_counter(source, driver, name);
  if (result.spec == nullptr) result.unknown_name = std::move(name);
  return result;
}

[[nodiscard]] inline core::SourceStatus source_status(core::Source source, bool success) {
  core::SourceStatus status;
  status.source = source;
  status.success = success;
  return status;
}

// An ACTIVE InfiniBand port at 4X 100 Gb/s.
[[nodiscard]] inline core::PortSnapshot active_port(std::uint32_t number = 1) {
  core::PortSnapshot port;
  port.number = number;
  port.link_layer = core::LinkLayer::kInfiniband;
  port.state = core::kPortStateActive;
  port.physical_state = core::kPhysStateLinkUp;
  port.rate = core::PortRate{.bits_per_second = 100e9, .width_lanes = 4, .speed_name = "EDR"};
  return port;
}

[[nodiscard]] inline core::DeviceSnapshot device_with(std::string name, core::PortSnapshot port) {
  core::DeviceSnapshot device;
  device.name = std::move(name);
  device.driver = "mlx5";
  device.ports.push_back(std::move(port));
  return device;
}

inline void add_device(core::HostSnapshot& host, core::DeviceSnapshot device) {
  host.has_rdma_class = true;
  core::DeviceEntry entry;
  entry.name = device.name;
  entry.sources = device.sources;
  entry.snapshot = std::make_shared<const core::DeviceSnapshot>(std::move(device));
  host.devices.push_back(std::move(entry));
}

[[nodiscard]] inline core::HostSnapshot host_with(core::DeviceSnapshot device) {
  core::HostSnapshot host;
  host.hostname = "node1";
  add_device(host, std::move(device));
  return host;
}

}  // namespace rdmadiag::test
