// `rdmadiag config check` and `config show`.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "config/load.h"
#include "config/render.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

json text_json(const std::vector<std::string>& lines) {
  json out = json::array();
  for (const std::string& line : lines)
    out.push_back(exporters::terminal_text(line, {.utf8 = true}));
  return out;
}

// No file is no problem where none was asked for: the daemon then runs on defaults.
tl::expected<config::Config, std::vector<std::string>> load(const std::string& file,
                                                            const Context& context) {
  std::error_code ignored;
  if (!file.empty()) return config::load_config(file);
  const std::string& usual = context.world.config_file;
  if (!std::filesystem::exists(usual, ignored)) return config::Config{};
  return config::load_config(usual);
}

int report(const std::vector<std::string>& problems, Context& context) {
  if (context.options.json) {
    context.out() << json{{"schema_version", 1},
                          {"valid", problems.empty()},
                          {"problems", text_json(problems)}}
                         .dump(2)
                  << "\n";
  } else {
    for (const std::string& problem : problems) {
      context.out() << exporters::terminal_text(problem, context.world.style) << "\n";
    }
  }
  return problems.empty() ? kExitFine : kExitCritical;
}

int check(const std::string& file, Context& context) {
  const auto loaded = load(file, context);
  const int code = report(loaded ? std::vector<std::string>{} : loaded.error(), context);
  if (code == kExitFine && !context.options.json) {
    context.out() << exporters::painted("fine", exporters::Paint::kGood, context.world.style)
                  << "\n";
  }
  return code;
}

int show(const std::string& file, Context& context) {
  const auto loaded = load(file, context);
  if (!loaded) return report(loaded.error(), context);
  const std::string text = config::render_config(*loaded);
  if (context.options.json) {
    context.out() << json{{"schema_version", 1}, {"valid", true}, {"yaml", text}}.dump(2) << "\n";
  } else {
    context.out() << text;
  }
  return kExitFine;
}

}  // namespace

Action define_config(CLI::App& app) {
  struct Options {
    std::string file;
  };
  auto options = std::make_shared<Options>();
  const auto add_file = [&](CLI::App& sub) {
    sub.add_option("file", options->file, "The file (default: /etc/rdmadiag/rdmadiag.yaml)")
        ->type_name("FILE");
  };
  CLI::App* check_app = app.add_subcommand("check", "Print every problem with its line");
  CLI::App* show_app = app.add_subcommand("show", "Print every key as it is in effect");
  add_file(*check_app);
  add_file(*show_app);
  app.require_subcommand(1);
  return [options, check_app](Context& context) {
    return check_app->parsed() ? check(options->file, context) : show(options->file, context);
  };
}

}  // namespace rdmadiag::cli
