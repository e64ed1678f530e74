// What happened that the probing's own thread has to act on, gathered from all other threads.
// Outlives the probing itself, since a port's thread that hangs may come back late.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "probes/directory.h"
#include "probes/rc_exchange.h"

namespace rdmadiag::daemon {

struct ProbingWork {
  bool stop = false;
  bool look = false;                 // at the devices
  bool plan = false;                 // the peers changed
  bool rediscover = false;           // their configuration did
  std::vector<std::string> lookups;  // RNICs, "host/device"
  std::vector<probes::AgentRecord> answers;
  struct Connect {
    std::string device;  // our RNIC
    std::uint32_t port = 1;
    probes::RcRequest request;
  };
  std::vector<Connect> connects;

  [[nodiscard]] bool any() const {
    return stop || look || plan || rediscover || !lookups.empty() || !answers.empty() ||
           !connects.empty();
  }
};

class ProbingEvents {
 public:
  void add(const std::function<void(ProbingWork&)>& change) {
    const std::scoped_lock hold(mutex_);
    change(work_);
    changed_.notify_one();
  }
  // Waits for work or until the time is over.
  [[nodiscard]] ProbingWork take(std::chrono::nanoseconds time) {
    std::unique_lock hold(mutex_);
    changed_.wait_for(hold, time, [this] { return work_.any(); });
    return std::exchange(work_, {});
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  ProbingWork work_;
};

}  // namespace rdmadiag::daemon
