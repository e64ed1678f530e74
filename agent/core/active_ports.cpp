#include "agent/core/active_ports.h"

namespace rdmadiag::core {

std::vector<ActivePort> active_ports(const HostSnapshot& host, std::string_view device) {
  std::vector<ActivePort> ports;
  for (const DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr || (!device.empty() && entry.name != device)) continue;
    for (const PortSnapshot& port : entry.snapshot->ports) {
      if (port.is_active()) ports.push_back({&entry, &port});
    }
  }
  return ports;
}

}  // namespace rdmadiag::core
