// From flags and configuration to what the parts of the daemon take. Pure.
#pragma once

#include "agent/daemon/options.h"
#include "agent/host/collect_options.h"
#include "config/config.h"

namespace rdmadiag::daemon {

// Flags win over the file.
[[nodiscard]] host::CollectOptions make_collect_options(const Options& options,
                                                        const config::Config& config);

}  // namespace rdmadiag::daemon
