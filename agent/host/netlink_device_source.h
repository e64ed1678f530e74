// What RDMA netlink says of a device: identity, port states, port counters in one message, object
// counts and, where asked for, queue pairs. Reads first; sysfs fills what is missing after it.
#pragma once

#include <memory>

#include "agent/host/device_source.h"

namespace rdmadiag::host {

// Null when netlink does not know the device.
[[nodiscard]] std::unique_ptr<DeviceSource> make_netlink_device_source(
    const DeviceContext& context);

}  // namespace rdmadiag::host
