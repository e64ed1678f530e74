// How a device is called in devlink.
#pragma once

#include <set>
#include <string>

#include "agent/core/snapshot.h"
#include "agent/host/device_source.h"

namespace rdmadiag::host {

// "pci/0000:3b:00.0" of its PCI function and "BUS/NAME" of the parents of its netdevs; of `known`
// also the auxiliary devices below the PCI function ("auxiliary/mlx5_core.eth.0").
[[nodiscard]] std::set<std::string> devlink_handles(const DeviceContext& context,
                                                    const core::DeviceSnapshot& device,
                                                    const std::set<std::string>& known);

}  // namespace rdmadiag::host
