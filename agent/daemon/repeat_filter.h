// Lets a message through once a minute and counts what it held back, so that a fault that repeats
// does not flood the log. Pure in time; not thread-safe, its sink locks.
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
  explicit RepeatFilter(std::chrono::nanoseconds window = std::chrono::minutes(1),
                        std::size_t capacity = 256)
      : window_(window), capacity_(capacity) {}

  // How often the same message was held back since it was last let through; empty when this one is
  // to be held back too.
  [[nodiscard]] std::optional<std::uint64_t> pass(const std::string& message, core::SteadyTime now);

 private:
  struct Seen {
    core::SteadyTime passed_at{};
    std::uint64_t held_back = 0;
  };

  std::chrono::nanoseconds window_;
  std::size_t capacity_;
  std::unordered_map<std::string, Seen> seen_;
};

}  // namespace rdmadiag::daemon
