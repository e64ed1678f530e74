// The threads that run request handlers, behind a bounded queue; the one that was at work last is
// the first to be called, so that few requests keep one stack and one cache warm. Slow jobs
// (password hashing) run one at a time and wait in a short queue of their own, so that guessing
// passwords cannot starve scrapes.
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
  struct Seat {  // of one thread
    std::condition_variable called;
    bool is_called = false;
  };

  void work(Seat& seat);
  [[nodiscard]] bool has_job() const;
  // Of the idle the one that became so last, to be notified without the lock; null when all work.
  [[nodiscard]] Seat* call_one();

  const std::size_t queue_limit_;
  std::mutex mutex_;
  std::deque<std::function<void()>> normal_;
  std::deque<std::function<void()>> slow_;
  bool slow_running_ = false;
  bool stopping_ = false;
  std::deque<Seat> seats_;   // one a thread; they stay where they are
  std::vector<Seat*> idle_;  // the last to become so at the end
  std::vector<std::jthread> threads_;
};

}  // namespace rdmadiag::exporters
