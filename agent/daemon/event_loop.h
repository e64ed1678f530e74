// The daemon's one loop: descriptors, timers and signals become calls on the thread that runs it.
// Only stop() and post() may be called from other threads.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/core/result.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::daemon {

class EventLoop {
 public:
  using Callback = std::function<void()>;

  [[nodiscard]] static core::Result<std::unique_ptr<EventLoop>> make();

  // Called whenever `fd` is readable; the caller keeps it open for as long as the loop runs.
  [[nodiscard]] core::Status watch(int fd, Callback on_readable);
  // The first call comes after one period. Periods that were missed are not made up.
  [[nodiscard]] core::Status every(std::chrono::nanoseconds period, Callback on_tick);
  // The signals must be blocked in every thread; block_signals() before the first is made.
  [[nodiscard]] core::Status on_signals(const std::vector<int>& signals,
                                        std::function<void(int signal)> on_signal);

  // Runs `task` on the loop's thread, soon.
  void post(Callback task);
  // Returns after stop(), or with the error of epoll itself.
  [[nodiscard]] core::Status run();
  void stop();

 private:
  EventLoop(core::UniqueFd epoll, core::UniqueFd wake_up);
  void run_posted();

  core::UniqueFd epoll_;
  core::UniqueFd wake_up_;
  std::vector<core::UniqueFd> owned_;  // timers and the signal descriptor
  std::map<int, Callback> callbacks_;
  std::mutex mutex_;  // guards posted_ and stopped_
  std::vector<Callback> posted_;
  bool stopped_ = false;
};

// Blocks them in this thread and all it starts.
void block_signals(const std::vector<int>& signals);

}  // namespace rdmadiag::daemon
