// Tells a thread that waits for something to stop, at once: a descriptor to put into any poll.
#pragma once

#include <chrono>

#include "agent/core/unique_fd.h"

namespace rdmadiag::probes {

class StopEvent {
 public:
  StopEvent();

  void set();  // any thread; for good
  [[nodiscard]] bool is_set() const;
  // Waits until it is set or the time is over; true when it is set.
  bool wait(std::chrono::nanoseconds time) const;
  // Also wakes when `other` is readable. True when the stop is set.
  bool wait_or_readable(int other, std::chrono::nanoseconds time) const;
  [[nodiscard]] int fd() const { return fd_.get(); }  // readable once set

 private:
  core::UniqueFd fd_;
};

}  // namespace rdmadiag::probes
