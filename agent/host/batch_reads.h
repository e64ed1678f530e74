// Many files read by one system call: a system call costs more than the reading of a counter,
// several times more where the kernel has to keep its page tables apart (PTI). io_submit reads
// files of sysfs at once and on the calling thread, unlike io_uring, which hands them to kernel
// threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace rdmadiag::host {

// One of several reads that are asked for together.
struct FileRead {
  int descriptor = -1;
  std::span<char> into;
  std::ptrdiff_t count = 0;  // the answer: bytes from the start of the file, or a negative errno
};

// Any thread may call. A read that does not return holds its thread up, and no other.
class BatchReads {
 public:
  BatchReads();
  ~BatchReads();
  BatchReads(const BatchReads&) = delete;
  BatchReads& operator=(const BatchReads&) = delete;

  // Answers the reads from the first on and gives the number of those that it has answered. The
  // next one, if there is one, has to be read by itself: this kernel (before 5.12 for sysfs) or a
  // filter of system calls does not let it be read here.
  [[nodiscard]] std::size_t read(std::span<FileRead> reads);

 private:
  class Context;
  [[nodiscard]] std::unique_ptr<Context> take();
  void give_back(std::unique_ptr<Context> context);

  std::atomic<bool> usable_ = true;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Context>> idle_;  // as many as have been in use at a time
};

}  // namespace rdmadiag::host
