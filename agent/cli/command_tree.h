// What the command line accepts, as data: for the shells' completions and the manual's test.
#pragma once

#include <string>
#include <vector>

namespace rdmadiag::cli {

enum class ValueKind { kNone, kText, kFile, kWord };

struct OptionInfo {
  std::vector<std::string> names;  // "--verbose", "-v"
  std::string help;
  ValueKind value = ValueKind::kNone;
  std::vector<std::string> words;  // for kWord
  bool value_optional = false;
  bool repeatable = false;
};

struct CommandInfo {
  std::string name;
  std::string help;
  std::vector<OptionInfo> options;  // its own; those of the program stand at the root
  std::vector<CommandInfo> commands;
  bool takes_file = false;  // as an argument without an option
};

[[nodiscard]] CommandInfo describe_commands();

}  // namespace rdmadiag::cli
