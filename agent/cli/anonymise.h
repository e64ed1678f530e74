// Takes out of a capture what identifies the site it was made at: GUIDs, GIDs, IP and MAC
// addresses, LIDs, names of the host, its RDMA devices, netdevs and processes, node descriptions.
// Counters, models, firmware and PCI addresses stay.
#pragma once

#include "agent/host/capture.h"

namespace rdmadiag::cli {

[[nodiscard]] host::Capture anonymise(const host::Capture& capture);

}  // namespace rdmadiag::cli
