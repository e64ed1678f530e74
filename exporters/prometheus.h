// The host's state as Prometheus metrics: the tables of docs/metrics.md. A pure function; the order
// of families and samples is the same for the same input.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::exporters {

using SourceSet = std::bitset<core::kSourceCount>;

struct MetricsOptions {
  // What `collect[]=` asked for; none means everything. Metrics about the agent's sources follow
  // the filter, build and reload state are always there, process_* only without a filter.
  SourceSet sources;
  // Counters the catalogue does not know, per device. Beyond it they are left out and
  // rdma_uncatalogued_truncated says so.
  std::size_t uncatalogued_limit = 200;
  // Round-trip time and loss of every probed peer: small meshes only (probes.ud.per_peer_series).
  bool per_peer_series = false;
  bool node_exporter = false;  // also node_infiniband_*, named and valued as node_exporter does
};

// Appends the exposition to `out`, so that the caller may keep one buffer.
void render_prometheus(const core::HostSnapshot& host, const core::AgentStatus& agent,
                       const MetricsOptions& options, std::string& out);

}  // namespace rdmadiag::exporters
