#include "agent/host/periodic_thread.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace rdmadiag::host {

struct PeriodicThread::Shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopping = false;
  bool ended = false;
};

PeriodicThread::PeriodicThread(std::chrono::nanoseconds period, std::function<void()> task)
    : shared_(std::make_shared<Shared>()),
      thread_([shared = shared_, period, task = std::move(task)] {
        std::unique_lock lock(shared->mutex);
        while (!shared->stopping) {
          lock.unlock();
          task();
          lock.lock();
          shared->changed.wait_for(lock, period, [&] { return shared->stopping; });
        }
        shared->ended = true;
        shared->changed.notify_all();
      }) {}

void PeriodicThread::stop() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stopping = true;
  shared_->changed.notify_all();
}

PeriodicThread::~PeriodicThread() {
  stop();
  std::unique_lock lock(shared_->mutex);
  const bool ended = shared_->changed.wait_for(lock, kPatience, [&] { return shared_->ended; });
  lock.unlock();
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

}  // namespace rdmadiag::host
