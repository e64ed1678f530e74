// The command line of rdmadiag: finds the subcommand and runs it.
#pragma once

#include <string>
#include <vector>

#include "agent/cli/world.h"

namespace rdmadiag::cli {

// Gives the exit code: the command's own, or kExitUsage with a message on `world.err`.
[[nodiscard]] int run(int argc, const char* const* argv, World& world);

// Every command and option as it is written ("counters --diff", "--json"), for the manual's test
// and the completions.
[[nodiscard]] std::vector<std::string> option_names();

}  // namespace rdmadiag::cli
