// Least, median, mean and most of measured times, and how the ping commands print them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rdmadiag::cli {

struct Spread {
  double least = 0;  // seconds, as the others
  double median = 0;
  double mean = 0;
  double most = 0;
};

// Empty without a value.
[[nodiscard]] std::optional<Spread> spread_of(std::vector<double> seconds);
// "1.20us/1.30us/1.31us/2.00us"
[[nodiscard]] std::string spread_text(const Spread& spread);
// null where there is none
[[nodiscard]] nlohmann::json spread_json(const std::optional<Spread>& spread);

}  // namespace rdmadiag::cli
