#include "exporters/http_workers.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kSlowQueueLimit = 16;

}  // namespace

HttpWorkers::HttpWorkers(unsigned threads, std::size_t queue_limit) : queue_limit_(queue_limit) {
  for (unsigned i = 0; i < std::max(threads, 1U); ++i) {
    threads_.emplace_back([this, &seat = seats_.emplace_back()] { work(seat); });
  }
}

HttpWorkers::~HttpWorkers() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  for (Seat& seat : seats_) {
    seat.called.notify_one();
  }
}

bool HttpWorkers::submit(Lane lane, std::function<void()> job) {
  Seat* called = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    auto& queue = lane == Lane::kSlow ? slow_ : normal_;
    if (stopping_ || queue.size() >= (lane == Lane::kSlow ? kSlowQueueLimit : queue_limit_)) {
      return false;
    }
    queue.push_back(std::move(job));
    called = call_one();
  }
  if (called != nullptr) {
    called->called.notify_one();
  }
  return true;
}

HttpWorkers::Seat* HttpWorkers::call_one() {
  if (idle_.empty()) {
    return nullptr;
  }
  Seat* const seat = idle_.back();
  idle_.pop_back();
  seat->is_called = true;
  return seat;
}

bool HttpWorkers::has_job() const { return !normal_.empty() || (!slow_.empty() && !slow_running_); }

void HttpWorkers::work(Seat& seat) {
  std::unique_lock lock(mutex_);
  while (true) {
    while (!stopping_ && !has_job()) {
      seat.is_called = false;
      idle_.push_back(&seat);
      seat.called.wait(lock, [&] { return stopping_ || seat.is_called; });
    }
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
      // Others may have passed by slow jobs that waited for this one, and this thread takes a
      // normal one.
      Seat* const called = !normal_.empty() && !slow_.empty() ? call_one() : nullptr;
      if (called != nullptr) {
        called->called.notify_one();
      }
    }
  }
}

}  // namespace rdmadiag::exporters
