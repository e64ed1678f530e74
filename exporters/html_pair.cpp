#include "exporters/html_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "exporters/html_mesh.h"
#include "exporters/html_sections.h"

namespace rdmadiag::exporters {
namespace {

using core::PairWindow;

constexpr int kHeight = 160;
constexpr int kBarWidth = 30;  // of which a sixth is the gap

// Percent-encoded as RFC 3986 has it.
std::string url_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

double total(const PairWindow& window) {
  return window.network_p50.value_or(0) + window.prober_mean.value_or(0) +
         window.responder_mean.value_or(0);
}

core::SystemTime start_of(const PairWindow& window) {
  return core::SystemTime(std::chrono::seconds(window.start));
}

// One part of a bar; moves `top` up by its height.
void write_part(std::string_view css, double seconds, double most, std::size_t place, int& top,
                HtmlWriter& out) {
  const int height = static_cast<int>(std::lround(seconds / most * kHeight));
  if (height == 0) return;
  top -= height;
  out.markup(fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"></rect>)", css,
                         place * static_cast<std::size_t>(kBarWidth), top, kBarWidth * 5 / 6,
                         height));
}

void write_chart(const core::PairHistory& history, HtmlWriter& out) {
  double most = 0;
  for (const PairWindow& window : history) most = std::max(most, total(window));
  if (most <= 0) return;
  out.markup(
      "<p class=\"legend\"><span class=\"network\">■</span> network"
      " <span class=\"responder\">■</span> the peer's host"
      " <span class=\"prober\">■</span> this host <span class=\"lost\">■</span> lost</p>\n");
  out.markup(fmt::format(
      R"(<svg class="chart" role="img" viewBox="0 0 {} {}" aria-label="Round trip, at most {}">)",
      core::kPairWindows * static_cast<std::size_t>(kBarWidth), kHeight + 8, rtt_text(most)));
  for (std::size_t i = 0; i < history.size(); ++i) {
    const PairWindow& window = history[i];
    int top = kHeight;
    write_part("network", window.network_p50.value_or(0), most, i, top, out);
    write_part("responder", window.responder_mean.value_or(0), most, i, top, out);
    write_part("prober", window.prober_mean.value_or(0), most, i, top, out);
    if (window.lost > 0) {
      out.markup(fmt::format(R"(<rect class="lost" x="{}" y="{}" width="{}" height="6"></rect>)",
                             i * static_cast<std::size_t>(kBarWidth), kHeight + 2,
                             kBarWidth * 5 / 6));
    }
  }
  out.markup("</svg>\n");
  out.element("p", "The highest bar is " + rtt_text(most) + "; a bar is 30 s, the newest right.",
              "facts");
}

void write_windows(const core::PairHistory& history, HtmlWriter& out) {
  out.open_table("windows", {"From",
                             {"Sent", "number"},
                             {"Lost", "number"},
                             {"Network, median", "number"},
                             {"Network, most", "number"},
                             {"The peer's host, mean", "number"},
                             {"This host, mean", "number"}});
  for (auto window = history.rbegin(); window != history.rend(); ++window) {
    out.open_row();
    out.markup("<th scope=\"row\">");
    out.time(start_of(*window));
    out.markup("</th>");
    out.cell(grouped(window->sent), "number");
    out.cell(grouped(window->lost), window->lost > 0 ? "number bad" : "number");
    out.cell(rtt_text(window->network_p50), "number");
    out.cell(rtt_text(window->network_most), "number");
    out.cell(rtt_text(window->responder_mean), "number");
    out.cell(rtt_text(window->prober_mean), "number");
    out.close_row();
  }
  out.close_table();
}

}  // namespace

std::string pair_link(const core::ProbeSnapshot& rnic, const core::ProbePeer& peer) {
  return "pair?device=" + url_encoded(rnic.device) + "&port=" + std::to_string(rnic.port) +
         "&peer=" + url_encoded(peer.peer);
}

std::string render_pair(const PairInput& input) {
  HtmlWriter out;
  const std::string title = input.rnic.nic + " → " + input.peer.peer;
  open_page(title + " · rdmadiag", "Skip to the windows", out);
  const Verdict verdict = peer_verdict(input.peer);
  out.markup("<header>\n");
  out.element("h1", title);
  out.markup("\n<p class=\"verdict ");
  out.markup(wellness_class(verdict.wellness));
  out.markup("\" role=\"status\">");
  out.text(verdict.text);
  out.markup("</p>\n</header>\n<main id=\"main\">\n");
  out.open_section("windows", "Round trip, window by window");
  if (input.history.empty()) {
    out.markup("<p>No window of 30 s is complete yet.</p>\n");
  } else {
    write_chart(input.history, out);
    write_windows(input.history, out);
  }
  out.close_section();
  out.markup(
      "</main>\n<footer><nav aria-label=\"Up\"><a href=\".\">This host</a></nav></footer>\n");
  out.markup("</body>\n</html>\n");
  return out.take();
}

}  // namespace rdmadiag::exporters
