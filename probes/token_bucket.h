// A rate limit with a burst: `rate` tokens a second, at most `burst` saved up.
#pragma once

#include <algorithm>
#include <chrono>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

class TokenBucket {
 public:
  TokenBucket(double rate_per_second, double burst, core::SteadyTime now)
      : rate_(rate_per_second), burst_(burst), tokens_(burst), updated_(now) {}

  [[nodiscard]] bool take(core::SteadyTime now) {
    const std::chrono::duration<double> passed = now - updated_;
    tokens_ = std::min(burst_, tokens_ + std::max(0.0, passed.count()) * rate_);
    updated_ = std::max(updated_, now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }

 private:
  double rate_;
  double burst_;
  double tokens_;
  core::SteadyTime updated_;
};

}  // namespace rdmadiag::probes
