// `rdmadiag locate`: which NIC, leaf or link loses probes, from what all agents saw.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "agent/core/localise.h"
#include "exporters/table.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using core::Blame;
using exporters::Paint;
using nlohmann::json;

json to_json(const Blame& blame) {
  json same_as = json::array();
  for (const std::string& other : blame.same_as) same_as.push_back(exporters::valid_utf8(other));
  return {{"part", core::fabric_part_name(blame.part)},
          {"name", exporters::valid_utf8(blame.name)},
          {"other", exporters::valid_utf8(blame.other)},
          {"probes", blame.probes},
          {"lost", blame.lost},
          {"loss_ratio", blame.loss()},
          {"least_loss_ratio", blame.least_loss},
          {"flows", blame.flows},
          {"flows_with_loss", blame.flows_with_loss},
          {"same_as", std::move(same_as)}};
}

json to_json(const std::vector<Blame>& blames) {
  json list = json::array();
  for (const Blame& blame : blames) list.push_back(to_json(blame));
  return list;
}

void print_json(const core::Localisation& found, const MeshView& view, Context& context) {
  json silent = json::array();
  for (const SilentAgent& agent : view.silent) silent.push_back(exporters::valid_utf8(agent.id));
  context.out() << json{{"schema_version", 1},
                        {"verdicts", to_json(found.verdicts)},
                        {"unconfirmed", to_json(found.unconfirmed)},
                        {"window_seconds", found.window_seconds},
                        {"agents", view.reports.size()},
                        {"nics", found.nics},
                        {"flows", found.flows},
                        {"probes", found.probes},
                        {"lost", found.lost},
                        {"silent", silent}}
                       .dump(2)
                << "\n";
}

void print_blame(const Blame& blame, const char* word, Paint paint, Context& context) {
  const exporters::TerminalStyle& style = context.world.style;
  context.out() << exporters::painted(word, paint, style) << "  "
                << exporters::painted(core::describe(blame), Paint::kBold, style) << "\n"
                << exporters::wrapped("          " + std::to_string(blame.lost) + " of " +
                                          std::to_string(blame.probes) + " probes lost (" +
                                          share(blame.lost, blame.probes) + "), on " +
                                          std::to_string(blame.flows_with_loss) + " of " +
                                          std::to_string(blame.flows) + " flows",
                                      10, style)
                << "\n";
  for (const std::string& other : blame.same_as) {
    context.out() << exporters::wrapped("          the same probes crossed: " + other, 10, style)
                  << "\n";
  }
}

void print_text(const core::Localisation& found, const MeshView& view, Context& context) {
  for (const Blame& blame : found.verdicts) print_blame(blame, "at fault", Paint::kBad, context);
  for (const Blame& blame : found.unconfirmed)
    print_blame(blame, "maybe   ", Paint::kWarning, context);
  if (found.verdicts.empty()) context.out() << "no verdict\n";
  context.out() << view.reports.size() << " agents, " << found.nics << " NICs, " << found.flows
                << " flows, windows of " << found.window_seconds << " s: " << found.lost << " of "
                << found.probes << " probes lost in the last minute\n";
}

int exit_code(const core::Localisation& found) {
  if (!found.verdicts.empty()) return kExitCritical;
  if (found.probes == 0) return kExitUnknown;
  return found.unconfirmed.empty() ? kExitFine : kExitWarning;
}

}  // namespace

Action define_locate(CLI::App& app) {
  auto agent = std::make_shared<AgentChoice>();
  add_mesh_agent_option(app, *agent);
  return [agent](Context& context) {
    const auto view = ask_mesh(context.world, *agent);
    if (!view) return report_failure(context, view.error());
    const core::Localisation found = core::localise(core::path_rows(view->reports));
    if (context.options.json) {
      print_json(found, *view, context);
    } else {
      print_text(found, *view, context);
    }
    report_silent(context, view->silent);
    if (found.probes == 0) context.err() << "rdmadiag: no probe in the last minute\n";
    return exit_code(found);
  };
}

}  // namespace rdmadiag::cli
