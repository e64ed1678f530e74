// Time as an argument: nothing below main asks the system for it.
#pragma once

#include <chrono>

namespace rdmadiag::core {

using SteadyTime = std::chrono::steady_clock::time_point;
using SystemTime = std::chrono::system_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  // Monotonic; for intervals and deadlines.
  [[nodiscard]] virtual SteadyTime steady() const = 0;
  // Wall clock; for timestamps that leave the process, never for intervals.
  [[nodiscard]] virtual SystemTime system() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] SystemTime system() const override { return std::chrono::system_clock::now(); }
};

}  // namespace rdmadiag::core
