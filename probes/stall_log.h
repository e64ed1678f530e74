// When a loop, ours or a peer's, did not run. What was measured meanwhile says nothing about the
// network. Keeps the last few intervals only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

class StallLog {
 public:
  // Ordered by end; `from` ≤ `to`.
  void add(core::SteadyTime from, core::SteadyTime to) {
    intervals_[next_++ % intervals_.size()] = {from, to};
  }

  [[nodiscard]] bool overlaps(core::SteadyTime from, core::SteadyTime to) const {
    return std::ranges::any_of(intervals_, [&](const Interval& interval) {
      return interval.to > interval.from && interval.from <= to && interval.to >= from;
    });
  }

 private:
  struct Interval {
    core::SteadyTime from{};
    core::SteadyTime to{};
  };
  std::array<Interval, 8> intervals_{};
  std::size_t next_ = 0;
};

}  // namespace rdmadiag::probes
