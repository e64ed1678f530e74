// The limits of this process, as the kernel has them now.
#pragma once

#include "agent/core/process_limits.h"

namespace rdmadiag::host {

[[nodiscard]] core::ProcessLimits read_process_limits();

}  // namespace rdmadiag::host
