// When which target is probed next. Each has its own phase within its interval, a hash of both
// ends, so that hosts do not hit one peer in step. Slots that were missed are skipped, never made
// up: a burst after a stall would measure itself. Used by one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

class ProbeSchedule {
 public:
  // Adds a target or changes its interval; `hash` gives its phase. A new target's first probe comes
  // within a tenth of its interval.
  void set(std::uint32_t target, std::chrono::nanoseconds interval, std::uint64_t hash,
           core::SteadyTime now);
  void remove(std::uint32_t target);
  // Stretches every interval by 1/factor; 0 < factor ≤ 1.
  void set_rate_factor(double factor, core::SteadyTime now);

  // One target whose time has come, and moves it to its next slot after `now`.
  [[nodiscard]] std::optional<std::uint32_t> take_due(core::SteadyTime now);
  [[nodiscard]] std::optional<core::SteadyTime> next_due() const;

  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }
  [[nodiscard]] double rate_factor() const { return factor_; }

 private:
  struct Entry {
    std::chrono::nanoseconds interval{0};
    std::uint64_t hash = 0;
    core::SteadyTime due{};
    bool started = false;
  };

  [[nodiscard]] std::chrono::nanoseconds stretched(const Entry& entry) const;
  [[nodiscard]] core::SteadyTime slot_after(const Entry& entry, core::SteadyTime time) const;
  void move(std::uint32_t target, Entry& entry, core::SteadyTime due);

  std::unordered_map<std::uint32_t, Entry> entries_;
  std::set<std::pair<core::SteadyTime, std::uint32_t>> queue_;
  double factor_ = 1;
  std::uint64_t skipped_ = 0;
};

}  // namespace rdmadiag::probes
