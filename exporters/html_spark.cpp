#include "exporters/html_spark.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rdmadiag::exporters {
namespace {

constexpr int kWidth = 120;
constexpr int kHeight = 24;

// Filled steps down to the base line; what moved at all is at least one unit high.
std::string outline(std::span<const core::TrailStep> steps, double most) {
  const double span = static_cast<double>((steps.back().to - steps.front().from).count());
  std::string path = "M0 " + std::to_string(kHeight);
  int height = 0;
  for (const core::TrailStep& step : steps) {
    const double share = step.per_second.value_or(0) / most;
    const int wanted = share > 0 ? std::max(1, static_cast<int>(std::lround(share * kHeight))) : 0;
    const auto end = static_cast<double>((step.to - steps.front().from).count());
    if (wanted != height) path += "V" + std::to_string(kHeight - wanted);
    path += "H" + std::to_string(std::lround(end / span * kWidth));
    height = wanted;
  }
  return path + "V" + std::to_string(kHeight) + "Z";
}

}  // namespace

void write_spark_cell(std::span<const core::TrailStep> steps, double scale, std::string_view metric,
                      HtmlWriter& out) {
  double most = 0;
  for (const core::TrailStep& step : steps) most = std::max(most, step.per_second.value_or(0));
  if (most <= 0) {
    out.markup("<td></td>");
    return;
  }
  out.markup("<td><svg class=\"spark\" role=\"img\" viewBox=\"0 0 120 24\" aria-label=\"");
  out.text("at most " + per_second_text(most * scale, metric));
  out.markup("\"><path d=\"");
  out.markup(outline(steps, most));
  out.markup("\"></path></svg></td>");
}

}  // namespace rdmadiag::exporters
