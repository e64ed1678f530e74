// Time that moves only when a test says so. Safe to read from any thread.
#pragma once

#include <atomic>
#include <chrono>

#include "agent/core/clock.h"

namespace rdmadiag::test {

class ManualClock final : public core::Clock {
 public:
  [[nodiscard]] core::SteadyTime steady() const override {
    // Not near zero, so that "an hour ago" exists.
    return core::SteadyTime(std::chrono::hours(24)) + elapsed<core::SteadyTime>();
  }
  [[nodiscard]] core::SystemTime system() const override {
    return kStart + elapsed<core::SystemTime>();
  }

  void advance(std::chrono::nanoseconds by) { elapsed_ += by.count(); }

  // 2026-01-01 00:00:00 UTC: what system() says before anything has passed.
  static constexpr core::SystemTime kStart{std::chrono::seconds(1'767'225'600)};

 private:
  template <class Time>
  [[nodiscard]] typename Time::duration elapsed() const {
    return std::chrono::duration_cast<typename Time::duration>(
        std::chrono::nanoseconds(elapsed_.load()));
  }
  std::atomic<std::int64_t> elapsed_{0};
};

}  // namespace rdmadiag::test
