#include "agent/cli/completions.h"

#include <map>

namespace rdmadiag::cli {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::string option_words(const CommandInfo& command) {
  std::string out;
  for (const OptionInfo& option : command.options) {
    out += (out.empty() ? "" : " ") + joined(option.names);
  }
  return out;
}

std::string command_words(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const CommandInfo& sub : command.commands) names.push_back(sub.name);
  return joined(names);
}

std::string bash_action(const OptionInfo& option) {
  switch (option.value) {
    case ValueKind::kFile: return "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")";
    case ValueKind::kWord:
      return "mapfile -t COMPREPLY < <(compgen -W '" + joined(option.words) + "' -- \"$cur\")";
    case ValueKind::kText:
    case ValueKind::kNone: return "COMPREPLY=()";
  }
  return "";
}

// By option, what completes the word after it. One name means the same in every command.
void collect_bash_actions(const CommandInfo& command, std::map<std::string, std::string>& actions) {
  for (const OptionInfo& option : command.options) {
    if (option.value == ValueKind::kNone || option.value_optional) continue;
    for (const std::string& name : option.names) actions.emplace(name, bash_action(option));
  }
  for (const CommandInfo& sub : command.commands) collect_bash_actions(sub, actions);
}

// The words so far lead from one command to the next: 'config check') path='config check'
void bash_paths(std::string& out, const CommandInfo& command, const std::string& path) {
  for (const CommandInfo& sub : command.commands) {
    const std::string longer = path.empty() ? sub.name : path + " " + sub.name;
    out += "      '" + path + " " + sub.name + "') path='" + longer + "' ;;\n";
    bash_paths(out, sub, longer);
  }
}

// One branch of the case over the words so far: "config check") …
void bash_words(std::string& out, const CommandInfo& command, const std::string& path) {
  const std::string words = command.commands.empty()
                                ? option_words(command)
                                : command_words(command) + " " + option_words(command);
  out += "    '" + path + "') words='" + words + "'";
  if (command.takes_file) out += "; files=1";
  out += " ;;\n";
  for (const CommandInfo& sub : command.commands) {
    bash_words(out, sub, path.empty() ? sub.name : path + " " + sub.name);
  }
}

std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const OptionInfo& option) {
  switch (option.value) {
    case ValueKind::kNone: return "";
    case ValueKind::kFile: return ":file:_files";
    case ValueKind::kWord: return ":word:(" + joined(option.words) + ")";
    case ValueKind::kText: return ":value: ";
  }
  return "";
}

std::string zsh_specs(const CommandInfo& command, const std::string& indent) {
  std::string out;
  for (const OptionInfo& option : command.options) {
    for (const std::string& name : option.names) {
      std::string action = zsh_action(option);
      if (option.value_optional) action.insert(0, ":");
      out += " \\\n" + indent + "'" + (option.repeatable ? "*" : "") + name + "[" +
             zsh_quoted(option.help) + "]" + action + "'";
    }
  }
  return out;
}

void zsh_branch(std::string& out, const CommandInfo& program, const CommandInfo& command) {
  out += "        " + command.name + ")\n          _arguments" +
         zsh_specs(program, "            ") + zsh_specs(command, "            ");
  if (command.takes_file) out += " \\\n            '*:file:_files'";
  if (!command.commands.empty()) {
    out += " \\\n            '1:command:((";
    for (const CommandInfo& sub : command.commands) {
      out += sub.name + "\\:\"" + zsh_quoted(sub.help) + "\" ";
    }
    out += "))' \\\n            '*:file:_files'";
  }
  out += " ;;\n";
}

}  // namespace

std::string bash_completion(const CommandInfo& program) {
  std::string out =
      "# bash completion for rdmadiag; generated from its command line.\n"
      "_rdmadiag() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path='' words='' "
      "files='' i\n"
      "  case $prev in\n";
  std::map<std::string, std::string> actions;
  collect_bash_actions(program, actions);
  for (const auto& [name, action] : actions) {
    out += "    " + name + ") " + action + "; return ;;\n";
  }
  out +=
      "  esac\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$path ${COMP_WORDS[i]}\" in\n";
  bash_paths(out, program, "");
  out +=
      "    esac\n"
      "  done\n"
      "  case $path in\n";
  bash_words(out, program, "");
  out +=
      "  esac\n"
      "  [ -n \"$path\" ] && words+=' " +
      option_words(program) +
      "'\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; [ -z \"$files\" ] || compgen "
      "-f -- \"$cur\")\n"
      "}\n"
      "complete -o filenames -F _rdmadiag rdmadiag\n";
  return out;
}

std::string zsh_completion(const CommandInfo& program) {
  std::string out =
      "#compdef rdmadiag\n"
      "# zsh completion for rdmadiag; generated from its command line.\n"
      "_rdmadiag() {\n"
      "  local curcontext=$curcontext state line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C" +
      zsh_specs(program, "    ") +
      " \\\n"
      "    '1:command:->command' \\\n"
      "    '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=(\n";
  for (const CommandInfo& command : program.commands) {
    out += "        '" + command.name + ":" + zsh_quoted(command.help) + "'\n";
  }
  out +=
      "      )\n"
      "      _describe -t commands command commands ;;\n"
      "    argument)\n"
      "      case $words[1] in\n";
  for (const CommandInfo& command : program.commands) zsh_branch(out, program, command);
  out +=
      "      esac ;;\n"
      "  esac\n"
      "}\n"
      "_rdmadiag \"$@\"\n";
  return out;
}

}  // namespace rdmadiag::cli
