// Reads that must not be tried: kernels in which reading a file damages the kernel itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {

// Why hw_counters of this device must not be read, over sysfs or netlink; empty when they may.
// `pci_device` is empty when not known: then the worst is taken.
[[nodiscard]] std::string_view unsafe_hw_counters(std::string_view driver,
                                                  std::optional<KernelRelease> kernel,
                                                  std::optional<std::uint32_t> pci_device);

}  // namespace rdmadiag::host
