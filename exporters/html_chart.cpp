#include "exporters/html_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/core/diagnose/evidence.h"

namespace rdmadiag::exporters {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 150;
constexpr double kLeft = 70;
constexpr double kTop = 12;
constexpr double kBottom = 24;
constexpr std::size_t kMaxSeries = 6;

struct Frame {
  double first;
  double span;
  double highest;

  [[nodiscard]] double x(double second) const {
    return kLeft + (second - first) / span * (kWidth - kLeft - 8);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - value / highest * (kHeight - kTop - kBottom);
  }
};

double highest_of(const Chart& chart) {
  double highest = 0;
  for (const ChartSeries& series : chart.series)
    for (const auto& value : series.values) highest = std::max(highest, value.value_or(0));
  return highest > 0 ? highest : 1;
}

// A gap in the values is a gap in the line.
std::string path_of(const Chart& chart, const ChartSeries& series, const Frame& frame) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < std::min(chart.seconds.size(), series.values.size()); ++i) {
    if (!series.values[i]) {
      drawing = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", frame.x(chart.seconds[i]),
                        frame.y(*series.values[i]));
    drawing = true;
  }
  return path;
}

void write_axis(const Chart& chart, const Frame& frame, HtmlWriter& out) {
  const double floor = frame.y(0);
  out.markup(fmt::format("<path class=\"axis\" d=\"M{0} {1}H{2}M{0} {3}H{2}\"/>", kLeft, floor,
                         kWidth - 8, frame.y(frame.highest)));
  const auto label = [&](double x, double y, const char* anchor, const std::string& text) {
    out.markup(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">", x, y, anchor));
    out.text(text);
    out.markup("</text>");
  };
  label(kLeft - 6, floor + 4, "end", "0");
  label(kLeft - 6, frame.y(frame.highest) + 4, "end", core::number_text(frame.highest));
  label(kLeft, kHeight - 6, "start", "0 s");
  label(kWidth - 8, kHeight - 6, "end",
        core::number_text(chart.seconds.back() - chart.seconds.front()) + " s");
}

}  // namespace

void write_chart(const Chart& chart, HtmlWriter& out) {
  if (chart.seconds.size() < 2 || chart.series.empty()) return;
  const Frame frame{chart.seconds.front(), chart.seconds.back() - chart.seconds.front(),
                    highest_of(chart)};
  if (frame.span <= 0) return;
  const std::string title = chart.title + ", " + chart.unit;
  out.markup("<figure><figcaption>");
  out.text(title);
  out.markup("</figcaption>\n");
  out.markup(fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"", kWidth, kHeight));
  out.text(title);
  out.markup("\">");
  write_axis(chart, frame, out);
  const std::size_t shown = std::min(chart.series.size(), kMaxSeries);
  for (std::size_t i = 0; i < shown; ++i) {
    out.markup(fmt::format("<path class=\"line l{}\" d=\"{}\"/>", i,
                           path_of(chart, chart.series[i], frame)));
  }
  out.markup("</svg>\n<ul class=\"legend\">");
  for (std::size_t i = 0; i < shown; ++i) {
    out.markup(
        fmt::format("<li><svg viewBox=\"0 0 24 8\"><path class=\"line l{}\" "
                    "d=\"M0 4H24\"/></svg> ",
                    i));
    out.text(chart.series[i].name);
    out.markup("</li>");
  }
  out.markup("</ul></figure>\n");
}

std::string_view chart_style() {
  return R"css(
figure { margin: 0 0 1.2rem; max-width: 44rem; }
figure svg { width: 100%; height: auto; }
figure text { fill: var(--soft); font-size: 11px; }
.axis { stroke: var(--line); fill: none; }
.line { fill: none; stroke-width: 2; stroke: var(--link); }
.l1 { stroke: var(--good); stroke-dasharray: 8 3; }
.l2 { stroke: var(--bad); stroke-dasharray: 3 3; }
.l3 { stroke: var(--warning); stroke-dasharray: 10 3 2 3; }
.l4 { stroke: var(--ink); stroke-dasharray: 1 3; }
.l5 { stroke: var(--soft); stroke-dasharray: 14 4; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; margin: 0; padding: 0; list-style: none; }
.legend svg { width: 1.5rem; vertical-align: middle; }
pre { overflow-x: auto; padding: 0.7rem; border: 1px solid var(--line); font-size: 0.85rem; }
)css";
}

}  // namespace rdmadiag::exporters
