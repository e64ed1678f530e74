// The driver of a netdev under an RDMA device, as the kernel calls it.
#pragma once

#include <string>

#include "agent/core/snapshot.h"

namespace rdmadiag::host {

// What ethtool said, else the netdev driver that goes with the RDMA one ("mlx5" → "mlx5_core");
// empty when that is not known.
[[nodiscard]] std::string netdev_driver(const core::DeviceSnapshot& device,
                                        const core::NetdevSnapshot& netdev);

}  // namespace rdmadiag::host
