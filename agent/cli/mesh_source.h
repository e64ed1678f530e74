// What agents say of the mesh, for `peers`, `pinglist`, `mesh` and `locate`.
#pragma once

#include <string>
#include <vector>

#include "agent/cli/world.h"
#include "agent/core/mesh.h"

namespace CLI {
class App;
}

namespace rdmadiag::cli {

// `--agent HOST:PORT`, this host's own unless given.
void add_mesh_agent_option(CLI::App& app, std::string& agent);

// The agent's answer on this path, such as "/api/v1/probes"; the error names the URL.
[[nodiscard]] core::Result<std::string> ask_agent(const World& world, const std::string& agent,
                                                  const std::string& path);

[[nodiscard]] core::Result<core::MeshReport> ask_report(const World& world,
                                                        const std::string& agent);

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
[[nodiscard]] core::Result<MeshView> ask_mesh(const World& world, const std::string& agent);

// Names the silent ones on `err`, the first ten of them.
void report_silent(const Context& context, const std::vector<SilentAgent>& silent);

}  // namespace rdmadiag::cli
