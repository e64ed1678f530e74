// A FileReader that fails where a test says so, counts what it is asked, and can be made to hang.
// Paths are matched by their end: "ports/1/rate" is that file of every device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/file_reader.h"

namespace rdmadiag::test {

class FaultingReader final : public host::FileReader {
 public:
  ~FaultingReader() override { release(); }

  // Reads of the file give the errno, though it opens; 0 mends it.
  void fail_read(std::string_view path_end, int error_number);
  void fail_open(std::string_view path_end, int error_number);
  void fail_list(std::string_view path_end, int error_number);
  // Reads of the file do not return before release().
  void hang_read(std::string_view path_end);
  // Lets everything that hangs go on, and nothing hang again.
  void release();
  // Waits until something hangs.
  void wait_for_hang();

  // Every path opened, listed or resolved so far.
  [[nodiscard]] std::vector<std::string> touched() const;
  [[nodiscard]] std::size_t opens() const { return opens_; }
  [[nodiscard]] std::size_t reads() const { return reads_; }
  [[nodiscard]] std::size_t lists() const { return lists_; }
  // Files that are open at the moment.
  [[nodiscard]] std::size_t open_files() const;
  // Reads of the file, failed ones included.
  [[nodiscard]] std::size_t reads_of(std::string_view path_end) const;

  int open(const std::string& path) override;
  std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) override;
  void close(int descriptor) override;
  int list(const std::string& path, std::vector<host::DirectoryEntry>& entries) override;
  std::string resolve(const std::string& path) override;

 private:
  using Faults = std::map<std::string, int>;
  void touch(const std::string& path);
  int fault_of(const Faults& faults, const std::string& path) const;

  host::SystemFileReader real_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Faults read_faults_;
  Faults open_faults_;
  Faults list_faults_;
  std::vector<std::string> hanging_;
  std::size_t hanging_now_ = 0;
  bool released_ = false;
  std::map<int, std::string> open_paths_;
  std::vector<std::string> touched_;
  std::map<std::string, std::size_t> reads_by_path_;
  std::atomic<std::size_t> opens_{0};
  std::atomic<std::size_t> reads_{0};
  std::atomic<std::size_t> lists_{0};
};

}  // namespace rdmadiag::test
