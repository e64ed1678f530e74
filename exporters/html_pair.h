// The page of one pair of NICs, `/pair`: round trip over the last windows, and what of it the
// network and the hosts at both ends took. As strict and as live as the status page. Pure.
#pragma once

#include <string>

#include "agent/core/pair_history.h"
#include "agent/core/probe.h"

namespace rdmadiag::exporters {

struct PairInput {
  const core::ProbeSnapshot& rnic;
  const core::ProbePeer& peer;
  const core::PairHistory& history;
};

[[nodiscard]] std::string render_pair(const PairInput& input);

// What the status page links to; relative.
[[nodiscard]] std::string pair_link(const core::ProbeSnapshot& rnic, const core::ProbePeer& peer);

}  // namespace rdmadiag::exporters
