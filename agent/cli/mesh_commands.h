// The subcommands about the mesh of agents, for commands.cpp.
#pragma once

#include "agent/cli/commands.h"

namespace rdmadiag::cli {

Action define_locate(CLI::App& app);
Action define_mesh(CLI::App& app);
Action define_peers(CLI::App& app);
Action define_ping(CLI::App& app);
Action define_pinglist(CLI::App& app);
Action define_plan(CLI::App& app);

}  // namespace rdmadiag::cli
