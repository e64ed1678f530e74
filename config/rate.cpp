#include "config/rate.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace rdmadiag::config {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
    {{"Tb/s", 1e12}, {"Gb/s", 1e9}, {"Mb/s", 1e6}, {"kb/s", 1e3}, {"b/s", 1}}};

}  // namespace

std::optional<double> parse_rate(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(number) || number <= 0 || number > 1e15)
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const auto& [name, scale] : kUnits)
    if (text == name) return number * scale;
  return std::nullopt;
}

std::string format_rate(double bits_per_second) {
  std::string_view unit = "b/s";
  double scale = 1;
  for (const auto& [name, factor] : kUnits) {
    if (bits_per_second < factor) continue;
    unit = name;
    scale = factor;
    break;
  }
  std::array<char, 32> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%.12g", bits_per_second / scale);
  return std::string(buffer.data(), static_cast<std::size_t>(length)).append(unit);
}

}  // namespace rdmadiag::config
