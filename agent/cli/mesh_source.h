// What agents say of the mesh, for `peers`, `pinglist`, `mesh` and `locate`.
#pragma once

#include <string>
#include <vector>

#include "agent/cli/agent_client.h"
#include "agent/cli/world.h"
#include "agent/core/mesh.h"

namespace rdmadiag::cli {

// `--agent HOST:PORT`, this host's own unless given, and how to ask it.
void add_mesh_agent_option(CLI::App& app, AgentChoice& agent);

[[nodiscard]] core::Result<core::MeshReport> ask_report(const AgentClient& agent);

// An agent that is known and did not say anything.
struct SilentAgent {
  std::string id;
  std::string address;
  std::string problem;
};

struct MeshView {
  std::vector<core::MeshReport> reports;  // the one that was asked first, then by id
  std::vector<SilentAgent> silent;
};

// Asks `agent`, then every agent that it knows of, sixteen at a time, for a minute at most. Fails
// only when the first does not answer.
[[nodiscard]] core::Result<MeshView> ask_mesh(const World& world, const AgentChoice& agent);

// Names the silent ones on `err`, the first ten of them.
void report_silent(const Context& context, const std::vector<SilentAgent>& silent);

}  // namespace rdmadiag::cli
