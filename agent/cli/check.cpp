// `rdmadiag check`: the diagnosis, from two looks at the host some seconds apart.
#include <CLI/CLI.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/core/diagnose/rules.h"
#include "agent/core/nearest.h"
#include "exporters/json.h"
#include "exporters/runbooks.h"
#include "exporters/text.h"

namespace rdmadiag::cli {
namespace {

struct CheckOptions {
  ObserverOptions observer{.agent = {}, .queue_pairs = true};
  double interval_seconds = 5;
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
  const bool second_look = options.observer.agent.empty() && context.options.sysfs.empty();
  if (seen && second_look && !seen->host->devices.empty()) {
    if (context.world.out_is_terminal) {
      context.err() << "rdmadiag: watching for " << options.interval_seconds << " s\n";
    }
    const std::chrono::duration<double> interval(options.interval_seconds);
    if (!context.world.wait(std::chrono::duration_cast<std::chrono::nanoseconds>(interval))) {
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
  app.add_option("--interval", options->interval_seconds,
                 "Seconds between the two looks (default 5)")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("SECONDS");
  app.add_option("--explain", options->explain,
                 "Print the runbook of this rule: causes in order of likelihood, and commands")
      ->type_name("RULE");
  return [options](Context& context) {
    return options->explain.empty() ? check(*options, context) : explain(options->explain, context);
  };
}

}  // namespace rdmadiag::cli
