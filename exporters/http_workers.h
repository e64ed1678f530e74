// The threads that run request handlers, behind a bounded queue. Slow jobs (password hashing) run
// one at a time and wait in a short queue of their own, so that guessing passwords cannot starve
// scrapes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rdmadiag::exporters {

class HttpWorkers {
 public:
  enum class Lane { kNormal, kSlow };

  HttpWorkers(unsigned threads, std::size_t queue_limit);
  // Drops what is queued and waits for what runs.
  ~HttpWorkers();
  HttpWorkers(const HttpWorkers&) = delete;
  HttpWorkers& operator=(const HttpWorkers&) = delete;

  // False when the lane is full or the workers stop; the job is then dropped. Any thread.
  [[nodiscard]] bool submit(Lane lane, std::function<void()> job);

 private:
  void work();
  [[nodiscard]] bool has_job() const;

  const std::size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable wakeup_;
  std::deque<std::function<void()>> normal_;
  std::deque<std::function<void()>> slow_;
  bool slow_running_ = false;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace rdmadiag::exporters
