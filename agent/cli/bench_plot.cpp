#include "agent/cli/bench_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/bench/plan.h"

namespace rdmadiag::cli {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 320;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 16;
constexpr double kBottom = 40;

// From figures to places in the picture.
struct Axes {
  double first = 0;  // log2 of sizes
  double last = 0;
  double low = 0;
  double high = 1;
  bool logarithmic = false;

  [[nodiscard]] double x(std::uint32_t size) const {
    return kLeft + (std::log2(size) - first) / (last - first) * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double value) const {
    const double place = logarithmic ? std::log10(value) : value;
    return kHeight - kBottom - (place - low) / (high - low) * (kHeight - kTop - kBottom);
  }
};

Axes axes_of(const Plot& plot) {
  Axes axes{.first = 64, .last = 0, .logarithmic = plot.logarithmic};
  double least = plot.limit.value_or(1e18);
  double most = plot.limit.value_or(0);
  for (const PlotLine& line : plot.lines) {
    for (const auto& [size, value] : line.points) {
      axes.first = std::min(axes.first, std::log2(size));
      axes.last = std::max(axes.last, std::log2(size));
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  axes.low = plot.logarithmic ? std::floor(std::log10(least)) : 0;
  axes.high = plot.logarithmic ? std::ceil(std::log10(most)) : most * 1.05;
  if (axes.high <= axes.low) axes.high = axes.low + 1;
  return axes;
}

std::vector<double> ticks_of(const Axes& axes) {
  std::vector<double> ticks;
  if (axes.logarithmic) {
    for (double place = axes.low; place <= axes.high; ++place) ticks.push_back(std::pow(10, place));
    return ticks;
  }
  const double rough = axes.high / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough / power < 2 ? 2 * power : rough / power < 5 ? 5 * power : 10 * power;
  for (int i = 0; i * step <= axes.high; ++i) ticks.push_back(i * step);
  return ticks;
}

std::string grid(const Plot& plot, const Axes& axes) {
  std::string svg;
  for (const double tick : ticks_of(axes)) {
    const double y = axes.y(tick);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        kLeft, kWidth - kRight, y, kLeft - 6, y + 4, tick);
  }
  const auto every = static_cast<int>(std::ceil((axes.last - axes.first) / 10));
  for (int power = static_cast<int>(std::ceil(axes.first)); power <= axes.last;
       power += std::max(every, 1)) {
    const std::uint32_t size = std::uint32_t{1} << power;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       axes.x(size), kHeight - kBottom + 18, probes::bench_size_name(size));
  }
  svg += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">bytes</text>\n"
      "<text x=\"4\" y=\"12\">{}</text>\n",
      kWidth - kRight, kHeight - 6, plot.unit);
  return svg;
}

std::string curve(const PlotLine& line, const Axes& axes) {
  std::string places;
  std::string dots;
  for (const auto& [size, value] : line.points) {
    places += fmt::format("{:.1f},{:.1f} ", axes.x(size), axes.y(value));
    dots += fmt::format(
        "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{} {}: {:.4g}</title>"
        "</circle>\n",
        line.style, axes.x(size), axes.y(value), line.name, probes::bench_size_name(size), value);
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n{}", line.style, places, dots);
}

std::string marks(const Plot& plot, const Axes& axes) {
  std::string svg;
  if (plot.limit) {
    svg += fmt::format(
        "<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        kLeft, kWidth - kRight, axes.y(*plot.limit), kLeft + 6, axes.y(*plot.limit) - 4,
        plot.limit_name);
  }
  if (plot.mark) {
    svg += fmt::format(
        "<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        axes.x(*plot.mark), kTop, kHeight - kBottom, axes.x(*plot.mark) + 4, kHeight - kBottom - 6,
        plot.mark_name);
  }
  return svg;
}

std::string legend(const Plot& plot) {
  std::string html = "<p class=\"legend\">";
  for (const PlotLine& line : plot.lines) {
    html += fmt::format("<span class=\"{}\">{}</span> ", line.style, line.name);
  }
  return html + "</p>\n";
}

}  // namespace

std::string plot_svg(const Plot& plot) {
  if (plot.lines.empty()) return "";
  const Axes axes = axes_of(plot);
  if (axes.last <= axes.first) return "";
  std::string svg =
      fmt::format("<h2>{}</h2>\n<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n",
                  plot.title, kWidth, kHeight, plot.title);
  svg += grid(plot, axes) + marks(plot, axes);
  for (const PlotLine& line : plot.lines) svg += curve(line, axes);
  return svg + "</svg>\n" + legend(plot);
}

}  // namespace rdmadiag::cli
