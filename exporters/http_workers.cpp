#include "exporters/http_workers.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kSlowQueueLimit = 16;

}  // namespace

HttpWorkers::HttpWorkers(unsigned threads, std::size_t queue_limit) : queue_limit_(queue_limit) {
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

HttpWorkers::~HttpWorkers() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wakeup_.notify_all();
}

bool HttpWorkers::submit(Lane lane, std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    auto& queue = lane == Lane::kSlow ? slow_ : normal_;
    if (stopping_ || queue.size() >= (lane == Lane::kSlow ? kSlowQueueLimit : queue_limit_)) {
      return false;
    }
    queue.push_back(std::move(job));
  }
  wakeup_.notify_one();
  return true;
}

bool HttpWorkers::has_job() const { return !normal_.empty() || (!slow_.empty() && !slow_running_); }

void HttpWorkers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wakeup_.wait(lock, [this] { return stopping_ || has_job(); });
    if (stopping_) {
      return;
    }
    const bool slow = normal_.empty();
    auto& queue = slow ? slow_ : normal_;
    std::function<void()> job = std::move(queue.front());
    queue.pop_front();
    slow_running_ = slow_running_ || slow;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    if (slow) {
      slow_running_ = false;
      wakeup_.notify_one();
    }
  }
}

}  // namespace rdmadiag::exporters
