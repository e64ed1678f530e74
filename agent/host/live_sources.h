// The sources of the Ethernet side on the running kernel, in reading order; for CollectorParts.
#pragma once

#include <vector>

#include "agent/host/device_source.h"
#include "agent/host/launch.h"

namespace rdmadiag::host {

// Not for captures and tests' folders: they ask this machine's kernel. A program that reads once
// passes launch_here, so that what is read beside the readers is there too.
[[nodiscard]] std::vector<DeviceSourceFactory> live_sources(const Launch& launch = launch_thread);

}  // namespace rdmadiag::host
