// What ends a measurement from outside: told to stop, nothing heard of the other end, or nothing
// moving any more. Cheap enough to be asked in every turn of a polling loop.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/result.h"

namespace rdmadiag::probes {

// Set by other threads.
class BenchControl {
 public:
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  void go_on() { stop_.store(false, std::memory_order_relaxed); }
  [[nodiscard]] bool stopped() const { return stop_.load(std::memory_order_relaxed); }

  // When the run ends by itself, and why. The end that measures has none.
  void end_at(core::SteadyTime when) {
    end_.store(when.time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] core::SteadyTime end() const {
    return core::SteadyTime(core::SteadyTime::duration(end_.load(std::memory_order_relaxed)));
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<core::SteadyTime::rep> end_ = core::SteadyTime::max().time_since_epoch().count();
};

// One polling loop's view of it: reset() whenever something moved.
class BenchWatch {
 public:
  // `patience`: how long nothing may move; 0: for ever.
  BenchWatch(const BenchControl& control, const core::Clock& clock, std::chrono::seconds patience)
      : control_(control), clock_(clock), patience_(patience), moved_(clock.steady()) {}

  // Asked when there was nothing to do. An error with ECANCELED when told to stop.
  [[nodiscard]] core::Status idle() {
    if (control_.stopped()) return core::errno_error(ECANCELED, "measuring");
    if ((++turns_ & kLookEvery) != 0) return {};
    return look();
  }
  // Where turns are rare since the loop sleeps.
  [[nodiscard]] core::Status look() {
    if (control_.stopped()) return core::errno_error(ECANCELED, "measuring");
    const core::SteadyTime now = clock_.steady();
    if (moving_) {
      moving_ = false;
      moved_ = now;
    }
    if (now >= control_.end()) return core::errno_error(ETIMEDOUT, "waiting for the other end");
    if (patience_.count() == 0 || now - moved_ < patience_) return {};
    return core::fail("nothing came back for " + std::to_string(patience_.count()) + " s");
  }
  void reset() { moving_ = true; }

 private:
  static constexpr std::uint32_t kLookEvery = 0xfff;  // turns; reading a clock is dear

  const BenchControl& control_;
  const core::Clock& clock_;
  std::chrono::seconds patience_;
  core::SteadyTime moved_;
  bool moving_ = false;
  std::uint32_t turns_ = 0;
};

}  // namespace rdmadiag::probes
