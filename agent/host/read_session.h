// What the files of one device share while they are read: the reader, its one buffer, the moment.
// Used by that device's reader thread alone; only the budget is shared between threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/snapshot.h"
#include "agent/host/file_reader.h"

namespace rdmadiag::host {

// How many descriptors may stay open between reads, over all devices, also those that a reader
// which is stuck does not give back.
class DescriptorBudget {
 public:
  explicit DescriptorBudget(std::size_t limit) : limit_(limit) {}

  void limit(std::size_t limit) { limit_.store(limit, std::memory_order_relaxed); }
  [[nodiscard]] bool take() {
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    if (taken_.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    give_back();
    return false;
  }
  void give_back() { taken_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> taken_{0};
};

// What one read of a value file came to.
struct ReadOutcome {
  std::string_view text;  // of the session's buffer: good until its next read
  core::IssueReason reason = core::IssueReason::kOther;
  int error_number = 0;
  enum class Kind { kText, kFailed, kBackingOff, kAbsent } kind = Kind::kText;

  [[nodiscard]] bool ok() const { return kind == Kind::kText; }
};

class ReadSession {
 public:
  ReadSession(std::shared_ptr<FileReader> files, std::shared_ptr<const core::Clock> clock,
              std::shared_ptr<DescriptorBudget> budget);

  // Starts a read of the device: sets the moment that back-off goes by.
  void begin();
  [[nodiscard]] core::SteadyTime now() const { return now_; }

  // Opens, reads and closes: for files that are seldom read.
  [[nodiscard]] ReadOutcome read_once(const std::string& path);
  // The outcome of reading an open descriptor. A value file has at most 4 KiB: more is kParse.
  [[nodiscard]] ReadOutcome read_open(int descriptor);

  // Many reads at once: what is to take part joins, run_batch() reads it, and the outcomes are
  // there until the next batch or the next begin(). `room` is for the usual size and one byte more.
  void begin_batch();
  struct BatchPlace {
    std::uint32_t batch = 0;  // 0: none
    std::uint32_t index = 0;
  };
  [[nodiscard]] BatchPlace join_batch(int descriptor, std::size_t room);
  void run_batch();
  // Nothing when that batch is over, or when the content filled its room and may be longer.
  [[nodiscard]] std::optional<ReadOutcome> outcome_of(BatchPlace place) const;

  // A file that was there is gone: listings are out of date.
  void note_vanished() { vanished_ = true; }
  [[nodiscard]] bool vanished() const { return vanished_; }

  [[nodiscard]] FileReader& files() const { return *files_; }
  [[nodiscard]] const core::Clock& clock() const { return *clock_; }
  [[nodiscard]] DescriptorBudget& budget() const { return *budget_; }

  static constexpr std::size_t kMaxValueSize = 4096;

 private:
  std::shared_ptr<FileReader> files_;
  std::shared_ptr<const core::Clock> clock_;
  std::shared_ptr<DescriptorBudget> budget_;
  core::SteadyTime now_{};
  bool vanished_ = false;
  std::uint32_t batch_ = 0;  // the number of the last one
  std::vector<FileRead> batch_reads_;
  std::vector<std::size_t> batch_rooms_;  // one a read
  std::vector<char> batch_buffer_;
  std::array<char, kMaxValueSize + 1> buffer_{};
};

[[nodiscard]] ReadOutcome failed(int error_number);

}  // namespace rdmadiag::host
