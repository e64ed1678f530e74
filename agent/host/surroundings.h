// What the host around a device decides about it: addresses of its netdevs and how the kernel
// answers ARP for them, its device node, where its interrupts go, what the bridges above it do
// with transfers between devices. Of the live host, and of a capture of one.
#pragma once

#include "agent/host/address_reader.h"
#include "agent/host/device_source.h"

namespace rdmadiag::host {

// Read at refresh alone: all of it seldom changes.
[[nodiscard]] DeviceSourceFactory surroundings_source(AddressReader addresses);

}  // namespace rdmadiag::host
