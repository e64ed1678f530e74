// Self-protection: steps the probe rate down while the agent uses more CPU than it may, and up
// again when the higher rate would fit. Never to 0: a silent prober looks like a healthy network.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

class RateGovernor {
 public:
  static constexpr std::array<double, 4> kFactors = {1, 0.5, 0.25, 0.1};

  // `max_share`: CPU time per wall time, 0.05 for 5 % of one core.
  explicit RateGovernor(double max_share) : max_share_(max_share) {}

  // `cpu` is the process's CPU time so far; call about every 10 s. Returns the factor to use now.
  double update(std::chrono::nanoseconds cpu, core::SteadyTime now);
  [[nodiscard]] double factor() const { return kFactors[step_]; }

 private:
  struct Reading {
    std::chrono::nanoseconds cpu;
    core::SteadyTime at;
  };

  double max_share_;
  std::size_t step_ = 0;
  int calm_periods_ = 0;
  std::optional<Reading> last_;
};

}  // namespace rdmadiag::probes
