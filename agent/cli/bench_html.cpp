#include "agent/cli/bench_html.h"

#include <fmt/format.h>

#include "agent/cli/bench_plot.h"
#include "agent/cli/bench_text.h"
#include "exporters/html.h"
#include "exporters/html_writer.h"

namespace rdmadiag::cli {
namespace {

constexpr double kMicro = 1e6;
constexpr double kGiga = 1e9;
constexpr exporters::TerminalStyle kWide{.width = 160, .colour = false, .utf8 = true};

constexpr std::string_view kStyle = R"css(
pre { overflow-x: auto; padding: 0.7rem; border: 1px solid var(--line); background: var(--raised); }
svg { width: 100%; max-width: 60rem; height: auto; }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); }
.limit { stroke: var(--soft); stroke-dasharray: 6 4; }
polyline { fill: none; stroke-width: 2; }
polyline.first { stroke: var(--link); }
polyline.second { stroke: var(--warning); stroke-dasharray: 5 3; }
polyline.third { stroke: var(--bad); stroke-dasharray: 2 3; }
circle.first { fill: var(--link); }
circle.second { fill: var(--warning); }
circle.third { fill: var(--bad); }
.legend .first { color: var(--link); }
.legend .second { color: var(--warning); }
.legend .third { color: var(--bad); }
)css";

Plot latency_plot(const BenchRun& run) {
  Plot plot{.title = "Latency over message size", .unit = "us", .logarithmic = true};
  PlotLine p50{.name = "p50", .style = "first"};
  PlotLine p99{.name = "p99", .style = "second"};
  PlotLine p999{.name = "p99.9", .style = "third"};
  for (const BenchRow& row : run.rows) {
    if (!row.latency || row.latency->p50 <= 0) continue;
    p50.points.emplace_back(row.size, row.latency->p50 * kMicro);
    p99.points.emplace_back(row.size, row.latency->p99 * kMicro);
    p999.points.emplace_back(row.size, row.latency->p999 * kMicro);
  }
  if (!p50.points.empty()) plot.lines = {p50, p99, p999};
  return plot;
}

Plot bandwidth_plot(const BenchRun& run) {
  Plot plot{.title = "Bandwidth over message size", .unit = "Gb/s"};
  PlotLine average{.name = "average", .style = "first"};
  PlotLine peak{.name = "peak", .style = "second"};
  for (const BenchRow& row : run.rows) {
    if (!row.bandwidth || row.bandwidth->average <= 0) continue;
    average.points.emplace_back(row.size, row.bandwidth->average * 8 / kGiga);
    peak.points.emplace_back(row.size, row.bandwidth->peak * 8 / kGiga);
  }
  if (average.points.empty()) return plot;
  plot.lines = {average, peak};
  if (run.line_rate) plot.limit = *run.line_rate * (run.plan.bidirectional ? 2 : 1) / kGiga;
  plot.limit_name = run.plan.bidirectional ? "line rate, both directions" : "line rate";
  plot.mark = bench_knee(run);
  plot.mark_name = "knee: nine tenths of the best";
  return plot;
}

}  // namespace

std::string bench_page(const BenchRun& run, core::SystemTime when) {
  exporters::HtmlWriter out;
  out.markup(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>rdmadiag "
      "bench</title>\n<style>");
  out.markup(exporters::page_style());
  out.markup(kStyle);
  out.markup("</style>\n</head>\n<body>\n<header>\n<h1>rdmadiag bench</h1>\n<p class=\"facts\">");
  out.text(bench_heading(run, kWide));
  out.markup("</p>\n<p class=\"facts\">measured at ");
  out.time(when);
  out.markup("</p>\n");
  if (!run.problem.empty()) out.element("p", "ended early: " + run.problem, "verdict bad");
  out.markup("</header>\n<main id=\"main\">\n");
  out.markup(plot_svg(latency_plot(run)));
  out.markup(plot_svg(bandwidth_plot(run)));
  out.markup("<h2>Figures</h2>\n");
  out.element("pre", bench_tables(run, kWide));
  out.markup("\n</main>\n</body>\n</html>\n");
  return out.take();
}

}  // namespace rdmadiag::cli
