// Lets a message through a few times a minute and counts what it held back, so that a fault that
// repeats does not flood the log. Pure in time; not thread-safe, its sink locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "agent/core/clock.h"

namespace rdmadiag::daemon {

class RepeatFilter {
 public:
  struct Limits {
    std::chrono::nanoseconds window = std::chrono::minutes(1);
    std::uint64_t passes = 5;    // of one message in a window
    std::size_t messages = 256;  // remembered
  };

  explicit RepeatFilter(const Limits& limits) : limits_(limits) {}

  // How often the same message was held back since it was last let through; empty when this one is
  // to be held back too.
  [[nodiscard]] std::optional<std::uint64_t> pass(const std::string& message, core::SteadyTime now);

 private:
  struct Seen {
    core::SteadyTime window_start{};
    std::uint64_t passed = 0;
    std::uint64_t held_back = 0;
  };

  Limits limits_;
  std::unordered_map<std::string, Seen> seen_;
};

}  // namespace rdmadiag::daemon
