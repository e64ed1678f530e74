// Build-time tool: writes the completion scripts. Usage: rdmadiag_completions BASH_FILE ZSH_FILE.
#include <cstdio>
#include <fstream>

#include "agent/cli/completions.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: rdmadiag_completions BASH_FILE ZSH_FILE\n");
    return 64;
  }
  const auto program = rdmadiag::cli::describe_commands();
  std::ofstream bash(argv[1]);
  std::ofstream zsh(argv[2]);
  bash << rdmadiag::cli::bash_completion(program);
  zsh << rdmadiag::cli::zsh_completion(program);
  bash.close();
  zsh.close();
  return bash && zsh ? 0 : 1;
}
