// The PCI function behind a device: link width and speed, AER totals, NUMA node, temperatures.
#pragma once

#include <memory>

#include "agent/host/device_source.h"

namespace rdmadiag::host {

// Null for devices without a PCI function.
[[nodiscard]] std::unique_ptr<DeviceSource> make_pcie_source(const DeviceContext& context);

}  // namespace rdmadiag::host
