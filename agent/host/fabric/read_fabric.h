// Reads an InfiniBand subnet by MADs, for the command line only: it needs access to a umad device,
// which the daemon must not. Discovery is libibnetdisc's, counters are libibmad's.
#pragma once

#include <chrono>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/fabric.h"
#include "agent/core/result.h"

namespace rdmadiag::host {

struct FabricOptions {
  std::string device;  // "mlx5_0"; empty: the first with an ACTIVE InfiniBand port
  int port = 0;        // 0: its first ACTIVE port
  std::chrono::milliseconds mad_timeout{200};  // for one answer; a second try is made
  std::chrono::milliseconds deadline{30'000};  // for the counters; what is left then is `missing`
};

// Fails when there is no umad device or no right to use it. A node or port that does not answer is
// no failure: it stands in `missing`, or in the port's `unread`.
[[nodiscard]] core::Result<core::Fabric> read_fabric(const FabricOptions& options,
                                                     const core::Clock& clock);

}  // namespace rdmadiag::host
