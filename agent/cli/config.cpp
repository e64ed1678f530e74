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

using Loaded = tl::expected<config::Config, std::vector<std::string>>;

// Empty when nobody named a file and the usual one is not there: the daemon then runs on defaults.
std::string file_to_read(const std::string& named, const Context& context) {
  if (!named.empty()) return named;
  const std::string& usual = context.world.config_file;
  std::error_code ignored;
  const bool is_missing =
      std::filesystem::status(usual, ignored).type() == std::filesystem::file_type::not_found;
  return is_missing ? "" : usual;
}

Loaded load(const std::string& file) {
  if (file.empty()) return config::Config{};
  return config::load_config(file);
}

json file_json(const std::string& file) {
  return file.empty() ? json(nullptr) : json(exporters::terminal_text(file, {.utf8 = true}));
}

int report(const std::string& file, const std::vector<std::string>& problems, Context& context) {
  if (context.options.json) {
    context.out() << json{{"schema_version", 1},
                          {"file", file_json(file)},
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

void print_fine(const std::string& file, Context& context) {
  const auto& style = context.world.style;
  if (file.empty()) {
    const std::string text =
        "no file " + context.world.config_file + ": the defaults are in effect";
    context.out() << exporters::wrapped(text, 2, style) << "\n";
  } else {
    context.out() << exporters::painted("fine", exporters::Paint::kGood, style) << "\n";
  }
}

int check(const std::string& named, Context& context) {
  const std::string file = file_to_read(named, context);
  const Loaded loaded = load(file);
  const int code = report(file, loaded ? std::vector<std::string>{} : loaded.error(), context);
  if (code == kExitFine && !context.options.json) print_fine(file, context);
  return code;
}

int show(const std::string& named, Context& context) {
  const std::string file = file_to_read(named, context);
  const Loaded loaded = load(file);
  if (!loaded) return report(file, loaded.error(), context);
  const std::string text = config::render_config(*loaded);
  if (context.options.json) {
    context.out() << json{{"schema_version", 1},
                          {"file", file_json(file)},
                          {"valid", true},
                          {"yaml", text}}
                         .dump(2)
                  << "\n";
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
