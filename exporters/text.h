// The snapshot as text for a terminal: what `rdmadiag status`, `devices`, `gids`, `counters` and
// `qps` print. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/changes.h"
#include "agent/core/snapshot.h"
#include "exporters/table.h"

namespace rdmadiag::exporters {

// One screen: the host's health, each device and port, what is wrong, what could not be read.
[[nodiscard]] std::string render_status(const core::HostSnapshot& host,
                                        const core::AgentStatus& agent, const TerminalStyle& style);

enum class DeviceDetail : std::uint8_t { kBrief, kFull };
[[nodiscard]] std::string render_devices(const core::HostSnapshot& host, DeviceDetail detail,
                                         const TerminalStyle& style);

// The GID tables, which GID of each port probes use, and why.
[[nodiscard]] std::string render_gids(const core::HostSnapshot& host, const TerminalStyle& style);

struct CounterSelection {
  bool nonzero = false;  // leave out what stands at 0 or, between two reads, did not move
  bool raw = false;      // the metric's name too, values as the kernel counts
  std::vector<std::string> classes;  // of the catalogue, e.g. "retransmit"; none means all
};

// With two reads `nonzero` asks what moved; a saturated field is kept, it may hide movement.
[[nodiscard]] bool is_selected(const core::CounterChange& change,
                               const CounterSelection& selection);

// Values, and rates where there were two reads (core::host_changes).
[[nodiscard]] std::string render_counters(std::span<const core::DeviceChanges> changes,
                                          const CounterSelection& selection,
                                          const TerminalStyle& style);

enum class FindingDetail : std::uint8_t { kBrief, kFull };
// The findings, at most `limit` of them; in full with what each means.
[[nodiscard]] std::string render_findings(const core::Diagnosis& diagnosis, std::size_t limit,
                                          FindingDetail detail, const TerminalStyle& style);

// What `rdmadiag check` prints: the findings in full, then what could not be judged and why.
[[nodiscard]] std::string render_diagnosis(const core::Diagnosis& diagnosis,
                                           const TerminalStyle& style);

// Live queue pairs, those in `state` only when it is given.
[[nodiscard]] std::string render_queue_pairs(const core::HostSnapshot& host,
                                             std::optional<int> state, const TerminalStyle& style);

}  // namespace rdmadiag::exporters
