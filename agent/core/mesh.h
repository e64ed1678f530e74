// What one agent knows of the mesh: whom it found, whom it probes and how that goes. Filled by the
// daemon, carried by its API (probes/mesh_message.h), read by the CLI and by localisation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"

namespace rdmadiag::core {

// What an agent's control channel said when it was last asked.
enum class AgentState : std::uint8_t { kUnknown, kAnswers, kRefused, kUnreachable };
inline constexpr std::size_t kAgentStateCount = 4;
[[nodiscard]] std::string_view agent_state_name(AgentState state);

struct MeshAgent {
  std::string id;       // as discovery names it
  std::string address;  // "host:port"
  std::string host;     // as it calls itself; empty before its first answer
  std::string leaf;
  std::string rail;
  std::string pod;
  bool is_self = false;
  AgentState state = AgentState::kUnknown;
  std::string problem;  // of the last question; empty after an answer
  std::optional<SystemTime> answered_at;
  std::vector<std::string> nics;  // "host/device"; empty before its first answer
};

// One source of discovery.
struct MeshSource {
  std::string name;
  bool ok = false;      // its last look succeeded
  std::string problem;  // of its last look; may be set though that succeeded in part
  std::uint64_t peers = 0;
  std::optional<SystemTime> last_success;
};

struct MeshReport {
  std::string host;
  SystemTime taken_at{};
  std::vector<MeshSource> sources;
  std::vector<MeshAgent> agents;  // sorted by id; holds this one too
  std::vector<ProbeSnapshot> probes;
};

// One NIC's view of another, over its last complete window.
struct MeshPair {
  std::string from;
  std::string from_leaf;
  ProbePeer to;
};

// Every pair that is probed, this host's loopback left out; sorted by both names.
[[nodiscard]] std::vector<MeshPair> mesh_pairs(std::span<const MeshReport> reports);

}  // namespace rdmadiag::core
