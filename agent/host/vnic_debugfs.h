// mlx5's vnic counters in debugfs, as kernels before devlink's vnic reporter (6.1) have them. Needs
// root.
#pragma once

#include "agent/core/snapshot.h"
#include "agent/host/device_source.h"

namespace rdmadiag::host {

// Adds what is there to the device's counters.
void read_vnic_debugfs(const DeviceContext& context, core::DeviceSnapshot& device,
                       IssueLog& issues);

}  // namespace rdmadiag::host
