#include "agent/host/file_reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace rdmadiag::host {
namespace {

DirectoryEntry::Kind kind_of(unsigned char type) {
  switch (type) {
    case DT_REG: return DirectoryEntry::Kind::kFile;
    case DT_DIR: return DirectoryEntry::Kind::kDirectory;
    case DT_LNK: return DirectoryEntry::Kind::kLink;
    default: return DirectoryEntry::Kind::kOther;
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Free {
  void operator()(char* text) const { ::free(text); }
};

}  // namespace

int SystemFileReader::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  return descriptor < 0 ? -errno : descriptor;
}

std::ptrdiff_t SystemFileReader::read_from_start(int descriptor, std::span<char> into) {
  const ssize_t count = ::pread(descriptor, into.data(), into.size(), 0);
  return count < 0 ? -errno : count;
}

void SystemFileReader::read_many_from_start(std::span<FileRead> reads) {
  while (reads.size() > 1) {
    const std::size_t answered = batches_.read(reads);
    // Some files of a netdev ask to be read again while its lock is held: only read() itself does.
    for (FileRead& read : reads.first(answered)) {
      if (read.count == -EINTR) read.count = read_from_start(read.descriptor, read.into);
    }
    reads = reads.subspan(answered);
    if (reads.empty()) return;
    reads.front().count = read_from_start(reads.front().descriptor, reads.front().into);
    reads = reads.subspan(1);
  }
  FileReader::read_many_from_start(reads);
}

void SystemFileReader::close(int descriptor) { ::close(descriptor); }

int SystemFileReader::list(const std::string& path, std::vector<DirectoryEntry>& entries) {
  entries.clear();
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  if (!directory) return -errno;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(directory.get());
    if (entry == nullptr) return -errno;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    if (entries.size() == kMaxEntries) return -E2BIG;
    entries.push_back({entry->d_name, kind_of(entry->d_type), entry->d_ino});
  }
}

std::string SystemFileReader::resolve(const std::string& path) {
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  return resolved ? std::string(resolved.get()) : std::string();
}

}  // namespace rdmadiag::host
