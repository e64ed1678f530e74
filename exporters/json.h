// The whole snapshot as JSON, and back. docs/schemas/snapshot.schema.json describes it; a field
// that is not known is left out. Text that is no valid UTF-8 arrives with the odd bytes spelled
// `\xHH`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/core/agent_status.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "exporters/runbooks.h"

namespace rdmadiag::exporters {

// Raised when a field changes its meaning or goes away; new fields do not raise it.
inline constexpr int kSnapshotSchemaVersion = 1;

enum class JsonLayout : std::uint8_t { kCompact, kIndented };

[[nodiscard]] std::string render_json(const core::HostSnapshot& host,
                                      const core::AgentStatus& agent, JsonLayout layout);

// What `rdmadiag check --json` prints: the diagnosis alone.
[[nodiscard]] std::string render_json(const core::Diagnosis& diagnosis, JsonLayout layout);

// What `rdmadiag check --explain RULE --json` prints: a runbook, in Markdown, and its rule.
[[nodiscard]] std::string render_json(const EmbeddedText& runbook, JsonLayout layout);

struct ParsedSnapshot {
  core::HostSnapshot host;
  core::AgentStatus agent;
};

// Reads what render_json of this or a compatible version wrote, for instance another host's agent.
// Nothing in it is trusted: too much, too deep, wrong types and impossible numbers are errors that
// name the field. Fields it does not know are passed over. Steady times are made from the wall
// clock's, so that two snapshots of one host can be compared.
[[nodiscard]] core::Result<ParsedSnapshot> parse_json(std::string_view text);

}  // namespace rdmadiag::exporters
