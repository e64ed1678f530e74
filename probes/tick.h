// A moment by the host's monotonic clock and, where the device stamps completions, by the device's
// free-running counter. Only differences of the latter mean anything, and only on one device.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

struct Tick {
  core::SteadyTime host{};
  std::optional<std::uint64_t> device;
};

// The device's completion counter: ibv_device_attr_ex's completion_timestamp_mask and
// hca_core_clock. No counter: mask 0.
struct DeviceClock {
  std::uint64_t mask = 0;
  std::uint64_t kilohertz = 0;

  [[nodiscard]] bool usable() const { return mask != 0 && kilohertz != 0; }
  // From `earlier` to `later`, right across one wrap of the counter.
  [[nodiscard]] std::chrono::nanoseconds elapsed(std::uint64_t earlier, std::uint64_t later) const {
    const std::uint64_t ticks = (later - earlier) & mask;
    // Split, since ticks × 10⁶ overflows 64 bits after hours of a 48-bit counter.
    return std::chrono::nanoseconds(ticks / kilohertz * 1'000'000 +
                                    ticks % kilohertz * 1'000'000 / kilohertz);
  }
};

}  // namespace rdmadiag::probes
