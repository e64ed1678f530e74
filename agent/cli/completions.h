// Completion scripts, made from the command line itself so that they cannot lag behind it.
#pragma once

#include <string>

#include "agent/cli/command_tree.h"

namespace rdmadiag::cli {

[[nodiscard]] std::string bash_completion(const CommandInfo& program);
[[nodiscard]] std::string zsh_completion(const CommandInfo& program);

}  // namespace rdmadiag::cli
