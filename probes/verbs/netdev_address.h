// Where an iWARP port can be reached: its GID is no address but begins with the MAC of its network
// interface (siw, irdma, cxgb4).
#pragma once

#include "agent/core/result.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::probes {

// The first IPv4 address (as IPv4-mapped), else the first IPv6 address, of an interface that is up
// and has the MAC in the first six bytes of `gid`; link-local ones do not count.
[[nodiscard]] core::Result<core::Gid> address_of_iwarp_gid(const core::Gid& gid);

}  // namespace rdmadiag::probes
