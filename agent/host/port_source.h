// Device and port attributes from sysfs: what the device is, port states, rate, addresses. Each
// state file can cost the driver a firmware command, so what netlink has delivered is not read
// again, and what seldom changes is read at refresh only.
#pragma once

#include <memory>

#include "agent/host/device_source.h"

namespace rdmadiag::host {

[[nodiscard]] std::unique_ptr<DeviceSource> make_port_source(const DeviceContext& context);

}  // namespace rdmadiag::host
