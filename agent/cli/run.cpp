#include "agent/cli/run.h"

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <sstream>

#include "agent/cli/command_tree.h"
#include "agent/cli/commands.h"
#include "agent/cli/words.h"
#include "agent/core/nearest.h"
#include "agent/core/version.h"
#include "agent/host/collect.h"

namespace rdmadiag::cli {
namespace {

std::string check_filter(const std::string& text) {
  host::CollectOptions options;
  options.include = {text};
  const core::Status good = host::check_options(options);
  return good ? "" : good.error().message();
}

void add_global_options(CLI::App& app, GlobalOptions& options) {
  app.add_flag("--json", options.json, "Print JSON; docs/schemas describes it");
  app.add_option("--path.sysfs", options.sysfs,
                 "Look at this sysfs tree, or at the archive `capture` made, instead of this host")
      ->type_name("DIR|ARCHIVE");
  app.add_option("--path.procfs", options.procfs,
                 "The procfs beside it (default: proc beside sysfs)")
      ->type_name("DIR");
  app.add_option("--device.include", options.include,
                 "Devices to look at, a regular expression over the whole name; may be repeated")
      ->type_name("REGEX")
      ->check(CLI::Validator(check_filter, "", "filter"))
      ->allow_extra_args(false);
  app.add_option("--device.exclude", options.exclude, "Devices to leave alone; may be repeated")
      ->type_name("REGEX")
      ->check(CLI::Validator(check_filter, "", "filter"))
      ->allow_extra_args(false);
}

struct CommandLine {
  CLI::App app{"Shows and checks the RDMA devices of a host.", "rdmadiag"};
  GlobalOptions options;
  std::map<const CLI::App*, Action> actions;

  CommandLine() {
    app.set_version_flag("--version", "rdmadiag " + std::string(core::kVersion) + " (" +
                                          std::string(core::kRevision) + ")");
    app.footer("Exit codes: 0 fine, 1 warning, 2 critical, 3 could not tell, 64 usage error.");
    app.require_subcommand(1);
    app.fallthrough();
    add_global_options(app, options);
    for (const Command& command : all_commands()) {
      CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
      actions.emplace(sub, command.define(*sub));
    }
  }
};

ValueKind value_kind(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return ValueKind::kNone;
  const std::string type = option.get_type_name();
  if (type.find("FILE") != std::string::npos || type.find("DIR") != std::string::npos) {
    return ValueKind::kFile;
  }
  return ValueKind::kText;
}

OptionInfo describe(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  info.help = option.get_description();
  info.value = value_kind(option);
  info.value_optional = option.get_expected_min() == 0 && info.value != ValueKind::kNone;
  info.repeatable = option.get_expected_max() > 1;
  info.words = value_words(option.get_type_name());
  if (!info.words.empty()) info.value = ValueKind::kWord;
  return info;
}

CommandInfo describe(const CLI::App& app) {
  CommandInfo info;
  info.name = app.get_name();
  info.help = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      info.options.push_back(describe(*option));
    } else {
      info.takes_file = info.takes_file || value_kind(*option) == ValueKind::kFile;
    }
  }
  for (const CLI::App* sub : app.get_subcommands(nullptr)) info.commands.push_back(describe(*sub));
  return info;
}

// A mistyped command, said better than "a subcommand is required".
std::optional<std::string> unknown_command(int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-') return std::nullopt;
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    if (command.name == argv[1]) return std::nullopt;
    names.emplace_back(command.name);
  }
  std::string message = "unknown command '" + std::string(argv[1]) + "'";
  if (const auto nearest = core::nearest_name(argv[1], names)) {
    message += " (did you mean " + *nearest + "?)";
  }
  return message;
}

}  // namespace

int run(int argc, const char* const* argv, World& world) {
  if (const auto message = unknown_command(argc, argv)) {
    *world.err << "rdmadiag: " << exporters::terminal_text(*message, world.style)
               << "\nRun with --help for more information.\n";
    return kExitUsage;
  }
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream message;
    const int code = line.app.exit(error, *world.out, message);
    if (code == 0) return kExitFine;
    std::istringstream lines(message.str());
    for (std::string text; std::getline(lines, text);) {
      *world.err << exporters::terminal_text(text, world.style) << "\n";
    }
    return kExitUsage;
  }
  Context context{world, line.options};
  const CLI::App* chosen = line.app.get_subcommands().front();
  const int code = line.actions.at(chosen)(context);
  world.out->flush();
  if (!*world.out && !world.out_is_closed()) {
    context.err() << "rdmadiag: the output could not be written\n";
    return kExitUnknown;
  }
  return code;
}

CommandInfo describe_commands() { return describe(CommandLine().app); }

}  // namespace rdmadiag::cli
