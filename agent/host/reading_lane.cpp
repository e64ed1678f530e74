#include "agent/host/reading_lane.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::host {
namespace {

core::SteadyTime real_time() { return core::SystemClock().steady(); }

}  // namespace

ReadingBatch::ReadingBatch(std::vector<ReadingJob> jobs)
    : jobs_(std::move(jobs)), results_(jobs_.size()), end_(jobs_.size()) {}

void ReadingBatch::read_all() {
  std::unique_lock lock(mutex_);
  while (next_ < end_) {
    const std::size_t job = next_++;
    const core::SteadyTime started = real_time();
    at_work_since_ = started;
    lock.unlock();
    ReadingResult result{jobs_[job].reader->read(jobs_[job].request), {}};
    result.took = real_time() - started;
    lock.lock();
    results_[job] = std::move(result);
    at_work_since_.reset();
  }
}

std::optional<core::SteadyTime> ReadingBatch::at_work_since() const {
  const std::lock_guard lock(mutex_);
  return at_work_since_;
}

std::vector<ReadingJob> ReadingBatch::call_off() {
  const std::lock_guard lock(mutex_);
  const std::size_t done = at_work_since_ ? next_ - 1 : next_;
  for (std::size_t job = 0; job < done; ++job) jobs_[job].reader.reset();
  std::vector<ReadingJob> rest;
  for (std::size_t job = next_; job < end_; ++job) rest.push_back(std::move(jobs_[job]));
  end_ = next_;
  return rest;
}

std::optional<ReadingResult> ReadingBatch::take(std::size_t job) {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_[job], std::nullopt);
}

std::unique_ptr<ReadingLane> make_reading_lane() {
  return std::make_unique<ReadingLane>([](const std::shared_ptr<ReadingBatch>& batch) {
    batch->read_all();
    return ReadingDone();
  });
}

BatchEnd wait_for_batch(ReadingLane& lane, const ReadingBatch& batch, core::SteadyTime limit,
                        std::chrono::nanoseconds patience) {
  core::SteadyTime since = real_time();
  for (;;) {
    const core::SteadyTime until = std::min(limit, since + patience);
    if (lane.wait_until(until)) return BatchEnd::kDone;
    const auto at_work = batch.at_work_since();
    if (at_work && real_time() - *at_work >= patience) return BatchEnd::kHeldUp;
    if (until == limit) return BatchEnd::kTooLong;
    since = at_work.value_or(real_time());
  }
}

}  // namespace rdmadiag::host
