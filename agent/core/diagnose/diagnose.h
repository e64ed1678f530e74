// The diagnosis: snapshots in, findings out. Pure, so that the daemon, the command line and the
// tests all say the same of the same evidence.
#pragma once

#include "agent/core/diagnose/evidence.h"
#include "agent/core/finding.h"

namespace rdmadiag::core {

// Thresholds are on rates between `evidence.before` and `evidence.now`; a lifetime total alone is
// mentioned at most as information, since counters remember flaps of the last boot for ever.
[[nodiscard]] Diagnosis diagnose(const Evidence& evidence);

}  // namespace rdmadiag::core
