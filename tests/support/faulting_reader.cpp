#include "tests/support/faulting_reader.h"

#include <algorithm>

namespace rdmadiag::test {

void FaultingReader::fail_read(std::string_view path_end, int error_number) {
  const std::lock_guard lock(mutex_);
  read_faults_[std::string(path_end)] = error_number;
}

void FaultingReader::fail_open(std::string_view path_end, int error_number) {
  const std::lock_guard lock(mutex_);
  open_faults_[std::string(path_end)] = error_number;
}

void FaultingReader::fail_list(std::string_view path_end, int error_number) {
  const std::lock_guard lock(mutex_);
  list_faults_[std::string(path_end)] = error_number;
}

void FaultingReader::hang_read(std::string_view path_end) {
  const std::lock_guard lock(mutex_);
  hanging_.emplace_back(path_end);
}

void FaultingReader::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void FaultingReader::wait_for_hang() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return hanging_now_ > 0; });
}

std::vector<std::string> FaultingReader::touched() const {
  const std::lock_guard lock(mutex_);
  return touched_;
}

std::size_t FaultingReader::reads_of(std::string_view path_end) const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [path, reads] : reads_by_path_) {
    if (path.ends_with(path_end)) count += reads;
  }
  return count;
}

void FaultingReader::touch(const std::string& path) { touched_.push_back(path); }

int FaultingReader::fault_of(const Faults& faults, const std::string& path) const {
  for (const auto& [end, error_number] : faults) {
    if (error_number != 0 && path.ends_with(end)) return error_number;
  }
  return 0;
}

int FaultingReader::open(const std::string& path) {
  ++opens_;
  {
    const std::lock_guard lock(mutex_);
    touch(path);
    if (const int fault = fault_of(open_faults_, path)) return -fault;
  }
  const int descriptor = real_.open(path);
  if (descriptor >= 0) {
    const std::lock_guard lock(mutex_);
    open_paths_[descriptor] = path;
  }
  return descriptor;
}

std::size_t FaultingReader::open_files() const {
  const std::lock_guard lock(mutex_);
  return open_paths_.size();
}

std::ptrdiff_t FaultingReader::read_from_start(int descriptor, std::span<char> into) {
  ++reads_;
  {
    std::unique_lock lock(mutex_);
    const std::string path = open_paths_.at(descriptor);
    ++reads_by_path_[path];
    if (const int fault = fault_of(read_faults_, path)) return -fault;
    const bool hangs = std::any_of(hanging_.begin(), hanging_.end(),
                                   [&](const std::string& end) { return path.ends_with(end); });
    if (hangs && !released_) {
      ++hanging_now_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return released_; });
      --hanging_now_;
    }
  }
  return real_.read_from_start(descriptor, into);
}

void FaultingReader::close(int descriptor) {
  {
    const std::lock_guard lock(mutex_);
    open_paths_.erase(descriptor);
  }
  real_.close(descriptor);
}

int FaultingReader::list(const std::string& path, std::vector<host::DirectoryEntry>& entries) {
  ++lists_;
  {
    const std::lock_guard lock(mutex_);
    touch(path);
    if (const int fault = fault_of(list_faults_, path)) {
      entries.clear();
      return -fault;
    }
  }
  return real_.list(path, entries);
}

std::string FaultingReader::resolve(const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    touch(path);
  }
  return real_.resolve(path);
}

}  // namespace rdmadiag::test
