// `rdmadiag mesh`: round trips and losses between all NICs, as every agent has measured them.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "exporters/table.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using core::MeshPair;
using exporters::Align;
using exporters::Cell;
using exporters::Paint;
using nlohmann::json;

constexpr std::size_t kMaxColumns = 12;  // fit 100 characters
constexpr std::size_t kWorstPairs = 20;

// Several pairs added up: one NIC to another in different scopes, or one leaf to another.
struct MeshCell {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  bool bad = false;
  bool unresolved = false;
  std::optional<double> rtt_seconds;  // the slowest pair's median

  void add(const MeshPair& pair) {
    sent += pair.to.sent;
    lost += pair.to.lost;
    bad |= pair.to.bad;
    unresolved |= !pair.to.resolved;
    if (pair.to.rtt_p50_seconds)
      rtt_seconds = std::max(rtt_seconds.value_or(0), *pair.to.rtt_p50_seconds);
  }
};

using Matrix = std::map<std::pair<std::string, std::string>, MeshCell>;

Cell cell_of(const Matrix& matrix, const std::string& from, const std::string& to) {
  const auto found = matrix.find({from, to});
  if (found == matrix.end()) return {from == to ? "." : "-", Paint::kFaint};
  const MeshCell& cell = found->second;
  if (cell.lost > 0) return {share(cell.lost, cell.sent), cell.bad ? Paint::kBad : Paint::kWarning};
  if (cell.rtt_seconds) return {short_time(*cell.rtt_seconds), Paint::kGood};
  return {cell.unresolved ? "?" : "...", Paint::kWarning};
}

std::string render_matrix(const Matrix& matrix, const std::string& title,
                          const exporters::TerminalStyle& style) {
  std::set<std::string> names;
  for (const auto& [key, cell] : matrix) {
    names.insert(key.first);
    names.insert(key.second);
  }
  if (names.size() > kMaxColumns) return {};
  std::vector<exporters::Column> columns = {{"", Align::kRight}, {title, Align::kLeft, 12}};
  for (std::size_t i = 1; i <= names.size(); ++i)
    columns.push_back({std::to_string(i), Align::kRight});
  exporters::Table table(std::move(columns));
  std::size_t number = 0;
  for (const std::string& from : names) {
    std::vector<Cell> row = {std::to_string(++number), from};
    for (const std::string& to : names) row.push_back(cell_of(matrix, from, to));
    table.add_row(std::move(row));
  }
  return table.render(style);
}

// Of the NICs; where they are too many, of their leaves.
std::string heat_map(const std::vector<MeshPair>& pairs, const exporters::TerminalStyle& style) {
  Matrix nics;
  Matrix leaves;
  for (const MeshPair& pair : pairs) {
    nics[{pair.from, pair.to.peer}].add(pair);
    leaves[{pair.from_leaf, pair.to.leaf}].add(pair);
  }
  std::string text = render_matrix(nics, "FROM \\ TO", style);
  if (text.empty() && leaves.size() > 1) text = render_matrix(leaves, "FROM \\ TO LEAF", style);
  return text;
}

std::string worst_pairs(const std::vector<MeshPair>& pairs, core::SystemTime now,
                        const exporters::TerminalStyle& style) {
  std::vector<const MeshPair*> lossy;
  for (const MeshPair& pair : pairs) {
    if (pair.to.lost > 0 || !pair.to.resolved) lossy.push_back(&pair);
  }
  std::ranges::stable_sort(lossy, [](const MeshPair* a, const MeshPair* b) {
    return a->to.lost * b->to.sent > b->to.lost * a->to.sent;
  });
  exporters::Table table({{"FROM", Align::kLeft, 12},
                          {"TO", Align::kLeft, 12},
                          {"SCOPE"},
                          {"SENT", Align::kRight},
                          {"LOST", Align::kRight},
                          {"RTT", Align::kRight},
                          {"LAST OK"}});
  for (std::size_t i = 0; i < std::min(lossy.size(), kWorstPairs); ++i) {
    const core::ProbePeer& to = lossy[i]->to;
    table.add_row({lossy[i]->from, to.peer, std::string(core::probe_scope_name(to.scope)),
                   std::to_string(to.sent), Cell(share(to.lost, to.sent), Paint::kBad),
                   to.rtt_p50_seconds ? short_time(*to.rtt_p50_seconds) : std::string("-"),
                   to.resolved ? ago(to.last_ok, now) : std::string("not resolved")});
  }
  if (table.empty()) return {};
  std::string text = "\n" + table.render(style);
  if (lossy.size() > kWorstPairs)
    text += "and " + std::to_string(lossy.size() - kWorstPairs) + " more pairs\n";
  return text;
}

void print_text(const MeshView& view, const std::vector<MeshPair>& pairs, Context& context) {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::set<std::string> nics;
  for (const MeshPair& pair : pairs) {
    sent += pair.to.sent;
    lost += pair.to.lost;
    nics.insert(pair.from);
  }
  context.out() << heat_map(pairs, context.world.style)
                << worst_pairs(pairs, view.reports.front().taken_at, context.world.style) << "\n"
                << view.reports.size() << " agents, " << nics.size() << " NICs, " << pairs.size()
                << " pairs: " << lost << " of " << sent
                << " probes lost in the last 30 s (median round trip, or the share lost)\n";
}

json to_json(const MeshPair& pair) {
  return {{"from", exporters::valid_utf8(pair.from)},
          {"from_leaf", exporters::valid_utf8(pair.from_leaf)},
          {"to", exporters::valid_utf8(pair.to.peer)},
          {"to_leaf", exporters::valid_utf8(pair.to.leaf)},
          {"scope", core::probe_scope_name(pair.to.scope)},
          {"resolved", pair.to.resolved},
          {"bad", pair.to.bad},
          {"sent", pair.to.sent},
          {"lost", pair.to.lost},
          {"rtt_p50_seconds", number_or_null(pair.to.rtt_p50_seconds)},
          {"rtt_max_seconds", number_or_null(pair.to.rtt_max_seconds)},
          {"last_ok", unix_seconds(pair.to.last_ok)}};
}

void print_json(const MeshView& view, const std::vector<MeshPair>& pairs, Context& context) {
  json list = json::array();
  for (const MeshPair& pair : pairs) list.push_back(to_json(pair));
  json hosts = json::array();
  for (const core::MeshReport& report : view.reports)
    hosts.push_back(exporters::valid_utf8(report.host));
  json silent = json::array();
  for (const SilentAgent& agent : view.silent) {
    silent.push_back({{"agent", exporters::valid_utf8(agent.id)},
                      {"address", agent.address},
                      {"problem", exporters::valid_utf8(agent.problem)}});
  }
  context.out()
      << json{{"schema_version", 1}, {"hosts", hosts}, {"pairs", list}, {"silent", silent}}.dump(2)
      << "\n";
}

int exit_code(const MeshView& view, const std::vector<MeshPair>& pairs) {
  const auto probed = [](const MeshPair& pair) { return pair.to.sent > 0; };
  const auto dead = [](const MeshPair& pair) {
    return pair.to.sent > 0 && pair.to.lost == pair.to.sent;
  };
  const auto lossy = [](const MeshPair& pair) { return pair.to.lost > 0; };
  if (std::ranges::none_of(pairs, probed)) return kExitUnknown;
  if (std::ranges::any_of(pairs, dead)) return kExitCritical;
  return !view.silent.empty() || std::ranges::any_of(pairs, lossy) ? kExitWarning : kExitFine;
}

}  // namespace

Action define_mesh(CLI::App& app) {
  auto agent = std::make_shared<AgentChoice>();
  add_mesh_agent_option(app, *agent);
  return [agent](Context& context) {
    const auto view = ask_mesh(context.world, *agent);
    if (!view) return report_failure(context, view.error());
    const std::vector<MeshPair> pairs = core::mesh_pairs(view->reports);
    if (context.options.json) {
      print_json(*view, pairs, context);
    } else {
      print_text(*view, pairs, context);
    }
    report_silent(context, view->silent);
    return exit_code(*view, pairs);
  };
}

}  // namespace rdmadiag::cli
