// `rdmadiag pinglist`: whom each NIC of a host probes, how often, and why.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "exporters/table.h"
#include "probes/mesh_message.h"

namespace rdmadiag::cli {
namespace {

using exporters::Align;
using exporters::Paint;

struct Options {
  AgentChoice agent;
  bool explain = false;
};

std::string kinds(const probes::PinglistTarget& target) {
  std::string kinds = target.datagrams ? "ud" : "";
  if (target.connection) kinds += kinds.empty() ? "rc" : "+rc";
  return kinds;
}

void print_text(const probes::PinglistRnic& rnic, const Options& options, Context& context) {
  exporters::Table table({{"TARGET", Align::kLeft, 12},
                          {"SCOPE"},
                          {"LEAF"},
                          {"EVERY", Align::kRight},
                          {"BY"},
                          {"RESOLVED"},
                          {"WHY", Align::kLeft, 20}});
  for (const probes::PinglistTarget& target : rnic.targets) {
    table.add_row(
        {target.peer, std::string(core::probe_scope_name(target.scope)), target.leaf,
         short_time(target.interval_seconds), kinds(target),
         target.resolved ? exporters::Cell("yes") : exporters::Cell("no", Paint::kWarning),
         options.explain ? target.reason : std::string()});
  }
  context.out() << exporters::painted(rnic.nic, Paint::kBold, context.world.style) << "\n"
                << table.render(context.world.style);
}

int show(const Options& options, Context& context) {
  const auto body = AgentClient(context.world, options.agent).get("/api/v1/pinglist");
  if (!body) return report_failure(context, body.error());
  const auto rnics = probes::decode_pinglist(*body);
  if (!rnics) return report_failure(context, rnics.error());
  if (context.options.json) {
    // Written anew: only what was checked is handed on.
    context.out() << nlohmann::ordered_json::parse(probes::encode_pinglist(*rnics)).dump(2) << "\n";
  } else {
    for (std::size_t i = 0; i < rnics->size(); ++i) {
      if (i > 0) context.out() << "\n";
      print_text((*rnics)[i], options, context);
    }
  }
  if (!rnics->empty()) return kExitFine;
  context.err() << "rdmadiag: the agent probes from no NIC\n";
  return kExitUnknown;
}

}  // namespace

Action define_pinglist(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_mesh_agent_option(app, options->agent);
  app.add_flag("--explain", options->explain, "Say why each target is on the list");
  return [options](Context& context) { return show(*options, context); };
}

}  // namespace rdmadiag::cli
