// `rdmadiag doctor`: can this host run probes, and what mends it when it cannot.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/doctor_checks.h"
#include "agent/cli/observe.h"
#include "agent/cli/place.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using exporters::Paint;

Paint paint_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kGood: return Paint::kGood;
    case Outcome::kWarning: return Paint::kWarning;
    case Outcome::kCritical: return Paint::kBad;
    case Outcome::kUnknown: return Paint::kFaint;
  }
  return Paint::kPlain;
}

DoctorFacts read_facts(const Place& place, const core::HostSnapshot& host, const World& world) {
  DoctorFacts facts;
  facts.readiness = host::read_readiness(*place.files, place.roots);
  // A limit of this process says nothing about the host a capture was made on.
  if (place.is_live) facts.limits = world.limits;
  if (place.netlink != nullptr) {
    if (const auto shared = place.netlink->netns_shared()) facts.netns_shared = *shared;
  }
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.stuck) facts.stuck.push_back(entry.name);
    if (entry.snapshot) facts.issues.emplace(entry.name, entry.snapshot->issues);
  }
  return facts;
}

void print_text(const std::vector<Check>& checks, Context& context) {
  const auto& style = context.world.style;
  for (const Check& check : checks) {
    std::string word(outcome_name(check.outcome));
    word.resize(10, ' ');
    const std::string lines =
        exporters::wrapped(word + check.name + ": " + check.found, word.size(), style);
    context.out() << exporters::painted(lines.substr(0, word.size()), paint_of(check.outcome),
                                        style)
                  << lines.substr(word.size()) << "\n";
    if (check.mend.empty()) continue;
    const std::string label(word.size(), ' ');
    context.out() << exporters::wrapped(label + "mend: " + check.mend, word.size() + 6, style)
                  << "\n";
  }
}

void print_json(const std::vector<Check>& checks, Context& context) {
  nlohmann::json list = nlohmann::json::array();
  for (const Check& check : checks) {
    list.push_back({{"name", exporters::valid_utf8(check.name)},
                    {"outcome", outcome_name(check.outcome)},
                    {"found", exporters::valid_utf8(check.found)},
                    {"mend", exporters::valid_utf8(check.mend)}});
  }
  context.out() << nlohmann::json{{"schema_version", 1},
                                  {"exit_code", exit_code(checks)},
                                  {"checks", list}}
                       .dump(2)
                << "\n";
}

}  // namespace

Action define_doctor(CLI::App&) {
  return [](Context& context) {
    const auto place = find_place(context);
    if (!place) return report_failure(context, place.error());
    const auto seen = observe_once(context, {});
    if (!seen) return kExitUnknown;
    const std::vector<Check> checks = run_checks(read_facts(*place, *seen->host, context.world));
    if (context.options.json) {
      print_json(checks, context);
    } else {
      print_text(checks, context);
    }
    return exit_code(checks);
  };
}

}  // namespace rdmadiag::cli
