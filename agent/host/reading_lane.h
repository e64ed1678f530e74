// A thread that reads devices in turn, for somebody who may stop waiting. When a device holds it
// up, the thread stays with that device and the rest is read elsewhere: see DeviceTable.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "agent/core/clock.h"
#include "agent/host/device_reader.h"
#include "agent/host/worker.h"

namespace rdmadiag::host {

struct ReadingJob {
  std::shared_ptr<DeviceReader> reader;
  DeviceRequest request;
};

struct ReadingResult {
  DeviceRead read;
  std::chrono::nanoseconds took{0};  // real time
};

// What one lane is to read in one round. Shared by the lane's thread and whoever waits for it.
class ReadingBatch {
 public:
  explicit ReadingBatch(std::vector<ReadingJob> jobs);

  // The thread's part: reads until all is read or the rest was called off.
  void read_all();

  // The waiting thread's part.
  // Since when the read at work is so; nothing before the first, after the last and in between.
  [[nodiscard]] std::optional<core::SteadyTime> at_work_since() const;
  // Keeps the thread from the reads it has not begun, and gives those. The thread may stay for
  // long: of the readers it keeps the one it is at.
  std::vector<ReadingJob> call_off();
  // Takes the result of a job that is done.
  [[nodiscard]] std::optional<ReadingResult> take(std::size_t job);

 private:
  std::vector<ReadingJob> jobs_;  // the one at work is the thread's alone
  mutable std::mutex mutex_;      // guards everything below, and the jobs that are not at work
  std::vector<std::optional<ReadingResult>> results_;
  std::size_t next_ = 0;  // the first that has not been begun
  std::size_t end_;
  std::optional<core::SteadyTime> at_work_since_;
};

struct ReadingDone {};
using ReadingLane = Worker<std::shared_ptr<ReadingBatch>, ReadingDone>;

[[nodiscard]] std::unique_ptr<ReadingLane> make_reading_lane();

enum class BatchEnd {
  kDone,
  kHeldUp,   // one read took longer than `patience`
  kTooLong,  // none did, but together they are not done by `limit`
};

// Waits in real time for the batch that `lane` was started with.
[[nodiscard]] BatchEnd wait_for_batch(ReadingLane& lane, const ReadingBatch& batch,
                                      core::SteadyTime limit, std::chrono::nanoseconds patience);

}  // namespace rdmadiag::host
