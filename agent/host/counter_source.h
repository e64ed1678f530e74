// Port and device counters from sysfs. Port hw_counters are read here only where netlink has not
// delivered them already.
#pragma once

#include <memory>

#include "agent/host/device_source.h"

namespace rdmadiag::host {

// ports/N/counters and the older counters_ext.
[[nodiscard]] std::unique_ptr<DeviceSource> make_port_counter_source(const DeviceContext& context);

// ports/N/hw_counters, qib's diag_counters, and the device's own hw_counters.
[[nodiscard]] std::unique_ptr<DeviceSource> make_hw_counter_source(const DeviceContext& context);

}  // namespace rdmadiag::host
