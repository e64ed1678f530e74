// Ever rarer retries of what keeps failing. Each read of a failing counter can cost the kernel a
// firmware command and a log line.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "agent/core/clock.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::host {

class Backoff {
 public:
  // After kFree failures in a row the next try waits 5 s, then 10 s, … up to 10 min.
  void record_failure(core::SteadyTime now, core::IssueReason reason, int error_number) {
    reason_ = reason;
    error_number_ = error_number;
    if (failures_ < kMaxFailures) ++failures_;
    if (failures_ < kFree) return;
    next_try_ = now + std::min(kFirst * (1 << (failures_ - kFree)), kLongest);
  }
  void record_success() { failures_ = 0; }

  [[nodiscard]] bool must_wait(core::SteadyTime now) const {
    return failures_ >= kFree && now < next_try_;
  }
  [[nodiscard]] core::IssueReason reason() const { return reason_; }
  [[nodiscard]] int error_number() const { return error_number_; }

  static constexpr int kFree = 3;

 private:
  static constexpr int kMaxFailures = 16;
  static constexpr std::chrono::seconds kFirst{5};
  static constexpr std::chrono::seconds kLongest{600};

  core::SteadyTime next_try_{};
  int error_number_ = 0;
  std::int8_t failures_ = 0;
  core::IssueReason reason_ = core::IssueReason::kOther;
};

}  // namespace rdmadiag::host
