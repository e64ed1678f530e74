// Which driver runs an RDMA device, in the catalogue's names. Asked of the device, never of its
// name: names are labels that people and udev change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::host {

// The kernel module behind …/device/driver, mostly the Ethernet side's: "mlx5_core" → "mlx5", "ice"
// → "irdma". A name that is not known is passed through.
[[nodiscard]] std::string driver_of_module(std::string_view module);

// By PCI vendor and device id, where no driver link is to be seen; empty when not known.
[[nodiscard]] std::string_view driver_of_pci_id(std::uint32_t vendor, std::uint32_t device);

}  // namespace rdmadiag::host
