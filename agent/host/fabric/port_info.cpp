#include "agent/host/fabric/port_info.h"

#include <array>
#include <utility>

namespace rdmadiag::host {

int width_lanes(std::uint32_t width_mask) {
  constexpr std::array<std::pair<std::uint32_t, int>, 5> kWidths = {
      {{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}}};
  for (const auto& [bit, lanes] : kWidths) {
    if (width_mask & bit) return lanes;
  }
  return 0;
}

double lane_rate(std::uint32_t speed_mask, std::uint32_t extended_mask) {
  constexpr std::array<std::pair<std::uint32_t, double>, 5> kExtended = {
      {{16, 200e9}, {8, 100e9}, {4, 50e9}, {2, 25e9}, {1, 14e9}}};
  constexpr std::array<std::pair<std::uint32_t, double>, 3> kBasic = {
      {{4, 10e9}, {2, 5e9}, {1, 2.5e9}}};
  for (const auto& [bit, rate] : kExtended) {
    if (extended_mask & bit) return rate;
  }
  for (const auto& [bit, rate] : kBasic) {
    if (speed_mask & bit) return rate;
  }
  return 0;
}

}  // namespace rdmadiag::host
