// The network devices that a device's ports run on, bond members included, from class/net. The
// kernel shows those of the network namespace that sysfs was mounted in, and only those.
#pragma once

#include <memory>

#include "agent/host/device_source.h"

namespace rdmadiag::host {

// Reads after the ports: they name the netdevs.
[[nodiscard]] std::unique_ptr<DeviceSource> make_netdev_source(const DeviceContext& context);

}  // namespace rdmadiag::host
