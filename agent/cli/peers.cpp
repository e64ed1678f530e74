// `rdmadiag peers`: which agents are known, from where, and whether they answer.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "exporters/table.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using exporters::Align;
using exporters::Cell;
using exporters::Paint;
using nlohmann::json;

json to_json(const core::MeshAgent& agent) {
  return {{"id", exporters::valid_utf8(agent.id)},
          {"address", agent.address},
          {"host", exporters::valid_utf8(agent.host)},
          {"leaf", exporters::valid_utf8(agent.leaf)},
          {"rail", exporters::valid_utf8(agent.rail)},
          {"pod", exporters::valid_utf8(agent.pod)},
          {"self", agent.is_self},
          {"state", core::agent_state_name(agent.state)},
          {"problem", exporters::valid_utf8(agent.problem)},
          {"answered_at", unix_seconds(agent.answered_at)},
          {"nics", agent.nics}};
}

json to_json(const core::MeshSource& source) {
  return {{"name", exporters::valid_utf8(source.name)},
          {"ok", source.ok},
          {"problem", exporters::valid_utf8(source.problem)},
          {"peers", source.peers},
          {"last_success", unix_seconds(source.last_success)}};
}

void print_json(const core::MeshReport& report, Context& context) {
  json agents = json::array();
  for (const core::MeshAgent& agent : report.agents) agents.push_back(to_json(agent));
  json sources = json::array();
  for (const core::MeshSource& source : report.sources) sources.push_back(to_json(source));
  context.out() << json{{"schema_version", 1},
                        {"host", exporters::valid_utf8(report.host)},
                        {"agents", agents},
                        {"sources", sources}}
                       .dump(2)
                << "\n";
}

Cell state_cell(const core::MeshAgent& agent) {
  if (agent.is_self) return {"this one", Paint::kFaint};
  const std::string name(core::agent_state_name(agent.state));
  switch (agent.state) {
    case core::AgentState::kUnknown: return {"not asked", Paint::kFaint};
    case core::AgentState::kAnswers: return {name, Paint::kGood};
    case core::AgentState::kRefused:
    case core::AgentState::kUnreachable: return {name, Paint::kBad};
  }
  return {name};
}

void print_text(const core::MeshReport& report, Context& context) {
  const exporters::TerminalStyle& style = context.world.style;
  exporters::Table agents({{"AGENT", Align::kLeft, 12},
                           {"ADDRESS", Align::kLeft, 12},
                           {"LEAF"},
                           {"RAIL"},
                           {"POD"},
                           {"NICS", Align::kRight},
                           {"STATE"},
                           {"ANSWERED"},
                           {"PROBLEM", Align::kLeft, 10}});
  for (const core::MeshAgent& agent : report.agents) {
    agents.add_row({agent.id, agent.address, agent.leaf, agent.rail, agent.pod,
                    agent.host.empty() ? std::string("?") : std::to_string(agent.nics.size()),
                    state_cell(agent),
                    agent.is_self ? std::string() : ago(agent.answered_at, report.taken_at),
                    Cell(agent.problem, Paint::kBad)});
  }
  exporters::Table sources({{"SOURCE", Align::kLeft, 20},
                            {"PEERS", Align::kRight},
                            {"SEEN"},
                            {"PROBLEM", Align::kLeft, 10}});
  for (const core::MeshSource& source : report.sources) {
    sources.add_row({source.name, std::to_string(source.peers),
                     ago(source.last_success, report.taken_at),
                     Cell(source.problem, source.ok ? Paint::kWarning : Paint::kBad)});
  }
  context.out() << agents.render(style);
  if (sources.empty()) {
    context.out() << "\nno source of peers is configured (peers: in rdmadiag.yaml)\n";
  } else {
    context.out() << "\n" << sources.render(style);
  }
}

int exit_code(const core::MeshReport& report) {
  std::size_t others = 0;
  std::size_t failing = 0;
  for (const core::MeshAgent& agent : report.agents) {
    if (agent.is_self || agent.state == core::AgentState::kUnknown) continue;
    ++others;
    if (agent.state != core::AgentState::kAnswers) ++failing;
  }
  if (others > 0 && failing == others) return kExitCritical;
  const bool sources_fail =
      std::ranges::any_of(report.sources, [](const auto& source) { return !source.ok; });
  return failing > 0 || sources_fail ? kExitWarning : kExitFine;
}

}  // namespace

Action define_peers(CLI::App& app) {
  auto agent = std::make_shared<AgentChoice>();
  add_mesh_agent_option(app, *agent);
  return [agent](Context& context) {
    const auto report = ask_report(AgentClient(context.world, *agent));
    if (!report) return report_failure(context, report.error());
    if (context.options.json) {
      print_json(*report, context);
    } else {
      print_text(*report, context);
    }
    return exit_code(*report);
  };
}

}  // namespace rdmadiag::cli
