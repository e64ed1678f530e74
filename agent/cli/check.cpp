// `rdmadiag check`: the diagnosis, from two looks at the host some seconds apart.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "agent/cli/agent_client.h"
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
    context.out() << (context.options.json
                          ? exporters::render_json(exporters::EmbeddedText{rule, *page},
                                                   exporters::JsonLayout::kIndented)
                          : std::string(*page));
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

// What only an agent that runs can know: its probes, and what grows over minutes.
bool needs_an_agent(std::string_view rule) {
  const core::Rule* const known = core::find_rule(rule);
  return known != nullptr && (known->group == core::RuleGroup::kProbes || rule == "queue-growth");
}

// This host's own agent, where one runs and answers whoever asks, adds that to the diagnosis.
void ask_own_agent(const core::HostSnapshot& host, core::Diagnosis& diagnosis, Context& context) {
  const auto body = AgentClient(context.world, {}).get("/api/v1/snapshot");
  if (!body) return;
  const auto agent = exporters::parse_json(*body);
  if (!agent || agent->host.hostname != host.hostname) return;
  std::erase_if(diagnosis.unknown, [](const core::Unknown& u) { return needs_an_agent(u.rule); });
  for (const core::Unknown& unknown : agent->agent.diagnosis.unknown)
    if (needs_an_agent(unknown.rule)) diagnosis.unknown.push_back(unknown);
  for (const core::Finding& finding : agent->agent.diagnosis.findings)
    if (needs_an_agent(finding.rule)) diagnosis.findings.push_back(finding);
  std::stable_sort(
      diagnosis.findings.begin(), diagnosis.findings.end(),
      [](const core::Finding& a, const core::Finding& b) { return a.severity > b.severity; });
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
  core::Diagnosis& diagnosis = seen->agent.diagnosis;
  if (second_look) ask_own_agent(*seen->host, diagnosis, context);
  context.out() << (context.options.json
                        ? exporters::render_json(diagnosis, exporters::JsonLayout::kIndented)
                        : exporters::render_diagnosis(diagnosis, context.world.style));
  (void)tell_devices(context, *seen->host);
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
