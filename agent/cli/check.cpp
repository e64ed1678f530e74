// `rdmadiag check`: the diagnosis, from two looks at the host some seconds apart.
#include <CLI/CLI.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/core/diagnose/rules.h"
#include "agent/core/nearest.h"
#include "agent/core/strict_reader.h"
#include "exporters/json.h"
#include "exporters/runbooks.h"
#include "exporters/text.h"

namespace rdmadiag::cli {
namespace {

struct CheckOptions {
  ObserverOptions observer{.agent = {}, .queue_pairs = true};
  std::chrono::nanoseconds interval = std::chrono::seconds(5);
  std::string explain;
};

int explain(const std::string& rule, Context& context) {
  if (const auto page = exporters::find_runbook(rule)) {
    context.out() << *page;
    return kExitFine;
  }
  std::vector<std::string> names;
  for (const exporters::EmbeddedText& page : exporters::all_runbooks()) {
    names.emplace_back(page.name);
  }
  context.err() << "rdmadiag: no rule '" << exporters::terminal_text(rule, context.world.style)
                << "'";
  if (const auto nearest = core::nearest_name(rule, names)) {
    context.err() << " (did you mean " << *nearest << "?)";
  }
  context.err() << "; the rules:\n";
  for (const std::string& name : names) context.err() << "  " << name << "\n";
  return kExitUsage;
}

int check(const CheckOptions& options, Context& context) {
  const auto observer = open_observer(context, options.observer);
  if (!observer) return report_failure(context, observer.error());
  auto seen = (*observer)->observe();
  // A running agent compares with its own history; a capture does not change.
  const bool second_look = options.observer.agent.address.empty() && context.options.sysfs.empty();
  if (seen && second_look && !seen->host->devices.empty()) {
    if (context.world.out_is_terminal) {
      context.err() << "rdmadiag: watching for " << core::format_duration(options.interval) << "\n";
    }
    if (!context.world.wait(options.interval)) {
      return kExitUnknown;
    }
    seen = (*observer)->observe();
  }
  if (!seen) return report_failure(context, seen.error());
  const core::Diagnosis& diagnosis = seen->agent.diagnosis;
  context.out() << (context.options.json
                        ? exporters::render_json(diagnosis, exporters::JsonLayout::kIndented)
                        : exporters::render_diagnosis(diagnosis, context.world.style));
  return diagnosis.exit_code();
}

}  // namespace

Action define_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  add_agent_option(app, options->observer);
  add_duration_option(app, "--interval", options->interval,
                      "Time between the two looks (default 5s)");
  app.add_option("--explain", options->explain,
                 "Print the runbook of this rule: causes in order of likelihood, and commands")
      ->type_name("RULE");
  return [options](Context& context) {
    return options->explain.empty() ? check(*options, context) : explain(options->explain, context);
  };
}

}  // namespace rdmadiag::cli
