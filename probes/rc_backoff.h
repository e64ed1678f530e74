// How long to wait before a connection is made anew: longer after each failure in a row, and never
// in step with others that failed at the same moment.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

#include "probes/random.h"

namespace rdmadiag::probes {

struct RcBackoff {
  std::chrono::nanoseconds first = std::chrono::milliseconds(500);  // doubled at each failure
  std::chrono::nanoseconds longest = std::chrono::seconds(30);
  double jitter = 0.2;  // of the wait, either way

  // After `failures` that came before this one.
  [[nodiscard]] std::chrono::nanoseconds wait(std::uint32_t failures,
                                              const RandomSource& random) const {
    std::chrono::nanoseconds time = first;
    for (std::uint32_t i = 0; i < failures && time < longest; ++i) time *= 2;
    time = std::min(time, longest);
    const double part = 2.0 * random() / std::numeric_limits<std::uint32_t>::max() - 1;  // −1 … 1
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time * (1 + jitter * part));
  }
};

}  // namespace rdmadiag::probes
