// A completion queue that is polled in a tight loop: plain ibv_poll_cq, nothing between it and the
// caller. With events it can also be slept on. One thread.
#pragma once

#include <chrono>
#include <span>

#include "agent/core/result.h"
#include "probes/verbs/device.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

class BenchQueue {
 public:
  enum class Wakes { kNever, kByEvents };

  [[nodiscard]] static core::Result<BenchQueue> create(const Device& device, std::uint32_t entries,
                                                       Wakes wakes);

  [[nodiscard]] ibv_cq* get() const { return queue_.get(); }
  // How many were taken; negative on an error of the queue itself.
  [[nodiscard]] int poll(std::span<ibv_wc> out) const {
    return ibv_poll_cq(queue_.get(), static_cast<int>(out.size()), out.data());
  }
  // Where it wakes by events: sleeps until something completes, at most that long. Poll afterwards.
  [[nodiscard]] core::Status wait(std::chrono::milliseconds time);

 private:
  BenchQueue() = default;

  CompletionChannel channel_;  // null: it never wakes anybody
  CompletionQueueHandle queue_;
  bool armed_ = false;
};

}  // namespace rdmadiag::probes
