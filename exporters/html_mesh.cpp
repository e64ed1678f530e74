#include "exporters/html_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "exporters/html_pair.h"
#include "exporters/html_sections.h"

namespace rdmadiag::exporters {
namespace {

using core::ProbePeer;
using core::ProbeSnapshot;

const core::RcPeer* find_connection(const ProbeSnapshot& rnic, const std::string& peer) {
  const auto found = std::ranges::find(rnic.rc.peers, peer, &core::RcPeer::peer);
  return found == rnic.rc.peers.end() ? nullptr : &*found;
}

void write_tile(const ProbePeer& peer, std::size_t number, HtmlWriter& out) {
  const Verdict verdict = peer_verdict(peer);
  out.markup("<li><a class=\"tile ");
  out.markup(wellness_class(verdict.wellness));
  out.markup("\" href=\"#pair-" + std::to_string(number) + "\">");
  out.element("span", peer.peer, "peer");
  out.text(" ");
  const std::string rtt = rtt_text(peer.rtt_p50_seconds);
  out.text(verdict.wellness == Wellness::kGood && !rtt.empty() ? rtt : verdict.text);
  out.markup("</a></li>\n");
}

void write_pair(const ProbeSnapshot& rnic, const ProbePeer& peer, std::size_t number,
                HtmlWriter& out) {
  out.markup("<tr id=\"pair-" + std::to_string(number) + "\">");
  out.row_head(rnic.nic);
  out.markup("<td class=\"short\"><a href=\"");
  out.text(pair_link(rnic, peer));
  out.markup("\">");
  out.text(peer.peer);
  out.markup("</a></td>");
  out.cell(core::probe_scope_name(peer.scope));
  out.cell(peer.leaf);
  out.verdict_cell(peer_verdict(peer));
  out.cell(grouped(peer.sent), "number");
  out.cell(grouped(peer.lost), "number");
  out.cell(rtt_text(peer.rtt_p50_seconds), "number");
  out.cell(rtt_text(peer.rtt_max_seconds), "number");
  const core::RcPeer* connection = find_connection(rnic, peer.peer);
  if (connection == nullptr) {
    out.cell("");
  } else {
    out.verdict_cell(connection->up ? Verdict{Wellness::kGood, "up"}
                                    : Verdict{Wellness::kBad, "down: " + connection->problem});
  }
  out.markup("<td class=\"short\">");
  if (peer.last_ok) out.time(*peer.last_ok);
  out.markup("</td>");
  out.close_row();
}

// Calls `use` for each pair with its number on the page.
template <class Use>
void each_pair(const core::AgentStatus& agent, Use use) {
  std::size_t number = 0;
  for (const ProbeSnapshot& rnic : agent.probes) {
    for (const ProbePeer& peer : rnic.peers) {
      if (number < kMaxPageRows) use(rnic, peer, number);
      ++number;
    }
  }
}

void write_tiles(const core::AgentStatus& agent, HtmlWriter& out) {
  const ProbeSnapshot* last = nullptr;
  each_pair(agent, [&](const ProbeSnapshot& rnic, const ProbePeer& peer, std::size_t number) {
    if (last != &rnic) {
      if (last != nullptr) out.markup("</ul>\n");
      out.markup("<h3>");
      out.text("from " + rnic.nic);
      if (!rnic.problem.empty()) out.text(": " + rnic.problem);
      out.markup("</h3>\n<ul class=\"tiles\">\n");
      last = &rnic;
    }
    write_tile(peer, number, out);
  });
  if (last != nullptr) out.markup("</ul>\n");
}

}  // namespace

std::string rtt_text(const std::optional<double>& seconds) {
  if (!seconds) return "";
  if (*seconds < 1e-3) return fmt::format("{:.3g} µs", *seconds * 1e6);
  return fmt::format("{:.3g} ms", *seconds * 1e3);
}

Verdict peer_verdict(const ProbePeer& peer) {
  if (!peer.resolved) return {Wellness::kUnknown, "not resolved"};
  if (peer.sent == 0) return {Wellness::kUnknown, "no window yet"};
  if (peer.lost == 0) return {Wellness::kGood, "nothing lost"};
  const double ratio = static_cast<double>(peer.lost) / static_cast<double>(peer.sent);
  return {peer.bad ? Wellness::kBad : Wellness::kWarning,
          fmt::format("{:.2g} % lost", 100 * ratio)};
}

void write_mesh(const core::AgentStatus& agent, HtmlWriter& out) {
  std::size_t pairs = 0;
  for (const ProbeSnapshot& rnic : agent.probes) pairs += rnic.peers.size();
  if (pairs == 0) return;
  out.open_section("mesh", "Probes");
  out.element("p", "Median round trip, or the share lost, over the last 30 s", "facts");
  out.markup("\n");
  write_tiles(agent, out);
  out.open_table("mesh",
                 {"From",
                  "To",
                  "Scope",
                  "Leaf",
                  "State",
                  {"Sent", "number"},
                  {"Lost", "number"},
                  {"RTT", "number"},
                  {"Most", "number"},
                  "RC",
                  "Last answer"},
                 std::min(pairs, kMaxPageRows));
  each_pair(agent, [&](const ProbeSnapshot& rnic, const ProbePeer& peer, std::size_t number) {
    write_pair(rnic, peer, number, out);
  });
  out.close_table();
  write_rest(pairs, out);
  out.close_section();
}

}  // namespace rdmadiag::exporters
