// Link rates as people write them: "400Gb/s".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::config {

// A decimal number, an optional blank, and b/s, kb/s, Mb/s, Gb/s or Tb/s; in bits per second.
[[nodiscard]] std::optional<double> parse_rate(std::string_view text);
// In the largest unit that leaves at least 1: "2.5Gb/s".
[[nodiscard]] std::string format_rate(double bits_per_second);

}  // namespace rdmadiag::config
