// The command line of rdmadiag: finds the subcommand and runs it.
#pragma once

#include "agent/cli/world.h"

namespace rdmadiag::cli {

// Gives the exit code: the command's own, or kExitUsage with a message on `world.err`.
[[nodiscard]] int run(int argc, const char* const* argv, World& world);

}  // namespace rdmadiag::cli
