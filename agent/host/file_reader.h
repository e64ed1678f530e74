// The system calls of the read path behind a seam: tests put a reader there that fails, counts or
// never returns. Calls give a negative errno on failure, as the kernel does: a counter is read too
// often to build a message for each. Safe to call from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/host/batch_reads.h"

namespace rdmadiag::host {

struct DirectoryEntry {
  std::string name;
  enum class Kind { kFile, kDirectory, kLink, kOther } kind = Kind::kOther;
  std::uint64_t inode = 0;
};

class FileReader {
 public:
  virtual ~FileReader() = default;

  // A descriptor for reading, or a negative errno. It can block for as long as a driver does.
  virtual int open(const std::string& path) = 0;
  // Bytes from the start of the file, whatever was read before; or a negative errno.
  virtual std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) = 0;
  // The same of many files, all of them read anew.
  virtual void read_many_from_start(std::span<FileRead> reads) {
    for (FileRead& read : reads) read.count = read_from_start(read.descriptor, read.into);
  }
  virtual void close(int descriptor) = 0;

  // Entries but "." and "..", in no particular order; 0 or a negative errno. A directory of more
  // than kMaxEntries fails with -E2BIG.
  virtual int list(const std::string& path, std::vector<DirectoryEntry>& entries) = 0;
  // The whole path without links, or empty when it does not resolve.
  virtual std::string resolve(const std::string& path) = 0;

  static constexpr std::size_t kMaxEntries = 8192;
};

// The real one.
class SystemFileReader final : public FileReader {
 public:
  int open(const std::string& path) override;
  std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) override;
  void read_many_from_start(std::span<FileRead> reads) override;
  void close(int descriptor) override;
  int list(const std::string& path, std::vector<DirectoryEntry>& entries) override;
  std::string resolve(const std::string& path) override;

 private:
  BatchReads batches_;
};

}  // namespace rdmadiag::host
