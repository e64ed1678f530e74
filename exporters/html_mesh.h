// The mesh on the status page: a tile for each peer that this host probes, coloured by how that
// goes, which leads to the pair's row in a table. Internal to the HTML exporter.
#pragma once

#include <optional>
#include <string>

#include "agent/core/agent_status.h"
#include "exporters/html_writer.h"

namespace rdmadiag::exporters {

// Nothing where nothing is probed.
void write_mesh(const core::AgentStatus& agent, HtmlWriter& out);

// "nothing lost", "20 % lost", "not resolved".
[[nodiscard]] Verdict peer_verdict(const core::ProbePeer& peer);
// "12.5 µs", "3 ms"; empty for what is not known.
[[nodiscard]] std::string rtt_text(const std::optional<double>& seconds);

}  // namespace rdmadiag::exporters
