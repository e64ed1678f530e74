// A thread that does something short again and again, and stops at once. When its task is stuck in
// the kernel at the end it is left behind: the task owns, or shares, all it uses.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace rdmadiag::host {

class PeriodicThread {
 public:
  // The first time at once, then a period after each end: nothing is made up for.
  PeriodicThread(std::chrono::nanoseconds period, std::function<void()> task);
  // Waits for a task at work, at most `kPatience`.
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

  // Tells it to end; several end side by side.
  void stop();

  static constexpr std::chrono::milliseconds kPatience{200};

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace rdmadiag::host
