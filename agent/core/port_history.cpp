#include "agent/core/port_history.h"

#include <algorithm>

namespace rdmadiag::core {
namespace {

// Names of devices that come and go must not grow the history for ever.
constexpr std::size_t kMaxPorts = 4096;

}  // namespace

void PortHistory::observe(const HostSnapshot& host) {
  for (const DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr) continue;
    const DeviceSnapshot& device = *entry.snapshot;
    if (!device.node_guid.empty()) {
      std::string& guid = guids_[device.name];
      if (!guid.empty() && guid != device.node_guid) forget(device.name);
      guid = device.node_guid;
    }
    for (const PortSnapshot& port : device.ports) {
      if (!port.is_active() || !port.rate || port.rate->bits_per_second <= 0) continue;
      const auto key = std::pair(device.name, port.number);
      if (rates_.size() >= kMaxPorts && !rates_.contains(key)) {
        rates_.clear();
        guids_.clear();
      }
      double& highest = rates_[key];
      highest = std::max(highest, port.rate->bits_per_second);
    }
  }
}

std::optional<double> PortHistory::expected_rate(std::string_view device, std::uint32_t port,
                                                 std::optional<double> configured) const {
  if (configured) return configured;
  const auto found = rates_.find(std::pair(std::string(device), port));
  if (found == rates_.end()) return std::nullopt;
  return found->second;
}

void PortHistory::forget(const std::string& device) {
  std::erase_if(rates_, [&](const auto& entry) { return entry.first.first == device; });
}

}  // namespace rdmadiag::core
