#include "agent/cli/spread.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "agent/cli/mesh_words.h"

namespace rdmadiag::cli {

std::optional<Spread> spread_of(std::vector<double> seconds) {
  if (seconds.empty()) return std::nullopt;
  std::ranges::sort(seconds);
  return Spread{.least = seconds.front(),
                .median = seconds[seconds.size() / 2],
                .mean = std::accumulate(seconds.begin(), seconds.end(), 0.0) /
                        static_cast<double>(seconds.size()),
                .most = seconds.back()};
}

std::string spread_text(const Spread& spread) {
  return short_time(spread.least) + "/" + short_time(spread.median) + "/" +
         short_time(spread.mean) + "/" + short_time(spread.most);
}

nlohmann::json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"min_seconds", spread->least},
          {"p50_seconds", spread->median},
          {"avg_seconds", spread->mean},
          {"max_seconds", spread->most}};
}

}  // namespace rdmadiag::cli
