#include "agent/core/nearest.h"

#include <algorithm>
#include <array>

namespace rdmadiag::core {
namespace {

constexpr std::size_t kLongest = 64;
using Row = std::array<std::size_t, kLongest + 1>;

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  if (from.size() > kLongest || to.size() > kLongest) return std::max(from.size(), to.size());
  Row before_last{};
  Row last{};
  Row current{};
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, substitute});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = current;
  }
  return last[to.size()];
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  std::optional<std::string> nearest;
  std::size_t shortest = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance > std::max<std::size_t>(1, candidate.size() / 3)) continue;
    if (nearest && distance >= shortest) continue;
    nearest = candidate;
    shortest = distance;
  }
  return nearest;
}

}  // namespace rdmadiag::core
