// `rdmadiag report`: one self-contained page for a ticket.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <system_error>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/core/strict_reader.h"
#include "agent/host/replace_file.h"
#include "config/load.h"
#include "config/render.h"
#include "exporters/html_report.h"

namespace rdmadiag::cli {
namespace {

constexpr int kLooks = 20;  // beside the first: enough for a line, few enough for a busy device

struct Options {
  ObserverOptions observer{.agent = {}, .queue_pairs = true, .compare_with_first = true};
  std::chrono::nanoseconds duration = std::chrono::seconds(20);
  std::string file;
};

// The configuration of another host, or of a capture, is not here. A URL's user and password are
// nothing for a ticket.
std::string config_text(const Options& options, const Context& context) {
  if (!options.observer.agent.address.empty() || !context.options.sysfs.empty()) return "";
  std::error_code ignored;
  if (!std::filesystem::exists(context.world.config_file, ignored)) return "";
  const auto loaded = config::load_config(context.world.config_file);
  if (!loaded) {
    std::string text = "# " + context.world.config_file + " cannot be used:\n";
    for (const std::string& problem : loaded.error()) text += "# " + problem + "\n";
    return text;
  }
  static const std::regex kSecret("//[^/@\\s]*@");
  return std::regex_replace(config::render_config(*loaded), kSecret, "//...@");
}

void print_written(const std::string& file, std::size_t looks, const core::Diagnosis& diagnosis,
                   Context& context) {
  const std::size_t findings = diagnosis.findings.size();
  if (context.options.json) {
    context.out() << nlohmann::json{{"schema_version", 1},
                                    {"file", exporters::terminal_text(file, {.utf8 = true})},
                                    {"looks", looks},
                                    {"findings", findings}}
                         .dump(2)
                  << "\n";
    return;
  }
  context.out() << exporters::wrapped(
                       file + ": " + std::to_string(looks) + (looks == 1 ? " look, " : " looks, ") +
                           std::to_string(findings) + (findings == 1 ? " finding" : " findings"),
                       2, context.world.style)
                << "\n";
}

int report(const Options& options, Context& context) {
  auto observer = open_observer(context, options.observer);
  if (!observer) return report_failure(context, observer.error());
  // Nobody shall wait for a page that cannot be written.
  if (const core::Status good = host::can_replace(options.file); !good)
    return report_failure(context, good.error());
  std::vector<std::shared_ptr<const core::HostSnapshot>> looks;
  core::AgentStatus agent;
  const int wanted = context.options.sysfs.empty() ? kLooks : 0;  // a capture does not change
  if (wanted > 0 && context.world.out_is_terminal) {
    context.err() << "rdmadiag: watching for " << core::format_duration(options.duration) << "\n";
  }
  for (int i = 0; i <= wanted; ++i) {
    // Whoever interrupts wants the page of what there is by then.
    if (i > 0 && !context.world.wait(options.duration / wanted)) break;
    auto seen = (*observer)->observe();
    if (!seen) return report_failure(context, seen.error());
    // An agent that is asked more often than it reads says the same again.
    if (looks.empty() || seen->host->taken_at != looks.back()->taken_at)
      looks.push_back(std::move(seen->host));
    agent = std::move(seen->agent);
    if (!agent.diagnosis.any_device) break;  // nothing to watch
  }
  const std::string page = exporters::render_report({looks, agent, config_text(options, context)});
  if (const core::Status written = host::replace_file(options.file, 0644, page); !written)
    return report_failure(context, written.error());
  print_written(options.file, looks.size(), agent.diagnosis, context);
  return tell_devices(context, *looks.back());
}

}  // namespace

Action define_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_output_file(app, options->file, "The page to write, e.g. host.html");
  add_agent_option(app, options->observer);
  add_duration_option(app, "--duration", options->duration,
                      "How long to watch for the plots (default 20s)");
  return [options](Context& context) { return report(*options, context); };
}

}  // namespace rdmadiag::cli
