// Waits in small steps for what another thread does; `patience` is far longer than that takes.
#pragma once

#include <chrono>
#include <thread>

namespace rdmadiag::test {

template <class Condition>
bool soon(const Condition& condition,
          std::chrono::milliseconds patience = std::chrono::seconds(10)) {
  constexpr std::chrono::milliseconds kStep(5);
  for (auto left = patience; left.count() > 0; left -= kStep) {
    if (condition()) return true;
    std::this_thread::sleep_for(kStep);
  }
  return false;
}

}  // namespace rdmadiag::test
