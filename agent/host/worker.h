// A thread that does one job at a time when asked, for somebody who may stop waiting for it. A job
// that is stuck in the kernel cannot be ended: its worker is left behind, owning all that it uses,
// and goes when the kernel lets it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace rdmadiag::host {

// All functions are for one owner thread at a time.
template <class Request, class Result>
class Worker {
 public:
  using Job = std::function<Result(const Request&)>;
  using Deadline = std::chrono::steady_clock::time_point;

  // `job` must own, or share, everything it uses. The thread starts with the first request.
  explicit Worker(Job job) : shared_(std::make_shared<Shared>()) { shared_->job = std::move(job); }

  // Does not wait for a job at work; see finish().
  ~Worker() { finish(Deadline::min()); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // False, and nothing asked, while the last job is still at work.
  bool start(Request request) {
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->busy) return false;
      shared_->busy = true;
      shared_->request = std::move(request);
      shared_->result.reset();
    }
    if (!thread_.joinable()) thread_ = std::thread(run, shared_);
    shared_->asked.notify_one();
    return true;
  }

  // The result of the last start(), once; nothing when it is not there by then.
  std::optional<Result> wait_until(Deadline deadline) {
    std::unique_lock lock(shared_->mutex);
    shared_->answered.wait_until(lock, deadline, [this] { return !shared_->busy; });
    return shared_->busy ? std::nullopt : std::exchange(shared_->result, std::nullopt);
  }

  // Whether nothing is at work by then; the result stays for wait_until().
  [[nodiscard]] bool idle_by(Deadline deadline) {
    std::unique_lock lock(shared_->mutex);
    return shared_->answered.wait_until(lock, deadline, [this] { return !shared_->busy; });
  }

  [[nodiscard]] bool busy() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->busy;
  }

  // Asks the thread to end after its job; several workers end side by side.
  void stop() {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopping = true;
    shared_->asked.notify_one();
  }

  // Ends the thread, or leaves it behind when its job is not done by the deadline. No start()
  // after.
  void finish(Deadline deadline) {
    stop();
    if (!thread_.joinable()) return;
    if (idle_by(deadline)) {
      thread_.join();
    } else {
      thread_.detach();
    }
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable asked;
    std::condition_variable answered;
    bool busy = false;
    bool stopping = false;
    std::optional<Request> request;
    std::optional<Result> result;
    Job job;
  };

  static void run(std::shared_ptr<Shared> shared) {
    std::unique_lock lock(shared->mutex);
    for (;;) {
      shared->asked.wait(lock, [&] { return shared->stopping || shared->request; });
      if (!shared->request) return;
      const Request request = *std::exchange(shared->request, std::nullopt);
      lock.unlock();
      std::optional<Result> result = shared->job(request);
      lock.lock();
      shared->result = std::move(result);
      shared->busy = false;
      const bool last = shared->stopping;
      lock.unlock();  // so that whoever wakes finds the lock free
      shared->answered.notify_all();
      if (last) return;
      lock.lock();
    }
  }

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
};

}  // namespace rdmadiag::host
