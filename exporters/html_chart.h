// Lines over time as SVG inside a page: no script, no asset, legible without colour. Internal to
// the HTML exporter. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "exporters/html_writer.h"

namespace rdmadiag::exporters {

struct ChartSeries {
  std::string name;
  std::vector<std::optional<double>> values;  // one a moment; empty where it is not known
};

struct Chart {
  std::string title;
  std::string unit;             // "Gb/s"
  std::vector<double> seconds;  // the moments, ascending
  std::vector<ChartSeries> series;
};

// Nothing when there are fewer than two moments or no series. At most six series are drawn.
void write_chart(const Chart& chart, HtmlWriter& out);

// What charts look like; goes into the page's style.
[[nodiscard]] std::string_view chart_style();

}  // namespace rdmadiag::exporters
