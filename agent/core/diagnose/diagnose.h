// The diagnosis: snapshots in, findings out. Pure, so that the daemon, the command line and the
// tests all say the same of the same evidence.
#pragma once

#include <span>

#include "agent/core/diagnose/evidence.h"
#include "agent/core/finding.h"
#include "agent/core/probe.h"

namespace rdmadiag::core {

// Thresholds are on rates between `evidence.before` and `evidence.now`; a lifetime total alone is
// mentioned at most as information, since counters remember flaps of the last boot for ever.
[[nodiscard]] Diagnosis diagnose(const Evidence& evidence);

// Adds what the last complete window of active probing says, in the same order. Only the agent
// knows; a command without one leaves it out.
void diagnose_probes(std::span<const ProbeSnapshot> probes, Diagnosis& diagnosis);

}  // namespace rdmadiag::core
