// A plot of a figure over message sizes, as SVG. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmadiag::cli {

struct PlotLine {
  std::string_view name = {};   // a literal of ours
  std::string_view style = {};  // a class of the page's style: "first", "second", "third"
  std::vector<std::pair<std::uint32_t, double>> points =
      {};  // size in bytes, value in the plot's unit
};

struct Plot {
  std::string_view title = {};  // literals of ours
  std::string_view unit = {};
  bool logarithmic = false;          // the vertical axis; the horizontal one always is
  std::vector<PlotLine> lines = {};  // values above 0
  std::optional<double> limit = {};  // a horizontal mark
  std::string_view limit_name = {};
  std::optional<std::uint32_t> mark = {};  // a vertical one, at a size
  std::string_view mark_name = {};
};

// Empty without two different sizes.
[[nodiscard]] std::string plot_svg(const Plot& plot);

}  // namespace rdmadiag::cli
