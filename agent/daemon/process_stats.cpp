#include "agent/daemon/process_stats.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "agent/core/unique_fd.h"

namespace rdmadiag::daemon {
namespace {

core::UniqueFd open_file(const std::filesystem::path& file) {
  return core::UniqueFd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
}

// Word number `position`, from 0; empty when there are fewer.
std::string_view word(std::size_t position, std::string_view text) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (position-- == 0 || text.empty()) return text.substr(0, end);
    text.remove_prefix(end);
  }
}

std::int64_t microseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "btime 1700000000" of /proc/stat
std::optional<double> read_boot_time(const std::filesystem::path& proc) {
  const core::UniqueFd fd = open_file(proc / "stat");
  if (!fd) return std::nullopt;
  std::string text;  // the line follows those of every CPU and of "intr"
  std::array<char, 16384> part{};
  for (ssize_t length = 0; (length = ::read(fd.get(), part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(length));
    if (text.size() > 4U << 20) return std::nullopt;
  }
  constexpr std::string_view kKey = "\nbtime ";
  const std::size_t start = text.find(kKey);
  if (start == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(start + kKey.size());
  const auto seconds = number(rest.substr(0, rest.find('\n')));
  return seconds ? std::optional(static_cast<double>(*seconds)) : std::nullopt;
}

// When the process was started, in clock ticks since boot: field 22 of /proc/self/stat (proc(5)).
std::optional<std::uint64_t> read_start_time(const std::filesystem::path& proc) {
  const core::UniqueFd fd = open_file(proc / "self/stat");
  std::array<char, 1024> buffer;
  const ssize_t length = fd ? ::read(fd.get(), buffer.data(), buffer.size()) : 0;
  const std::string_view stat(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  // The command in parentheses may hold anything; fields are counted from its end: the first after
  // it is number 3.
  const std::size_t command_end = stat.rfind(')');
  if (command_end == std::string_view::npos) return std::nullopt;
  return number(word(22 - 3, stat.substr(command_end + 1)));
}

std::optional<std::uint64_t> count_entries(const std::filesystem::path& folder) {
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return std::nullopt;
  std::uint64_t count = 0;
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') ++count;
  closedir(directory);
  return count - 1;  // the one that lists
}

core::UniqueFd open_folder(const std::filesystem::path& folder) {
  return core::UniqueFd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::uint64_t size_of(const core::UniqueFd& fd) {
  struct stat status {};
  return fstat(fd.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// A folder has a link of each folder in it, besides two of its own.
std::optional<std::uint64_t> count_folders(const core::UniqueFd& folder) {
  struct stat status {};
  if (!folder || fstat(folder.get(), &status) != 0 || status.st_nlink < 2) return std::nullopt;
  return status.st_nlink - 2;
}

// Linux 6.2 and later tell the number as the size of the folder; listing it makes an inode of each.
core::UniqueFd open_counting_folder(const std::filesystem::path& folder) {
  core::UniqueFd fd = open_folder(folder);
  struct statfs system {};
  const bool is_procfs = fd && fstatfs(fd.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  return is_procfs && size_of(fd) > 0 ? std::move(fd) : core::UniqueFd();
}

}  // namespace

ProcessReader::ProcessReader(std::filesystem::path proc)
    : proc_(std::move(proc)),
      memory_(open_file(proc_ / "self/statm")),
      threads_(open_folder(proc_ / "self/task")),
      descriptors_(open_counting_folder(proc_ / "self/fd")) {
  const auto booted = read_boot_time(proc_);
  const auto started = read_start_time(proc_);
  if (booted && started)
    start_time_seconds_ =
        *booted + static_cast<double>(*started) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

core::ProcessStats ProcessReader::read() const {
  core::ProcessStats stats;
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    stats.cpu_seconds =
        static_cast<double>(microseconds(usage.ru_utime) + microseconds(usage.ru_stime)) / 1e6;
  stats.start_time_seconds = start_time_seconds_;
  std::array<char, 256> buffer;
  const ssize_t length = memory_ ? pread(memory_.get(), buffer.data(), buffer.size(), 0) : 0;
  const std::string_view pages(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  const auto bytes = [&](std::size_t position) {
    auto value = number(word(position, pages));
    if (value) *value *= static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return value;
  };
  stats.virtual_memory_bytes = bytes(0);
  stats.resident_memory_bytes = bytes(1);
  stats.threads = count_folders(threads_);
  stats.open_fds =
      descriptors_ ? std::optional(size_of(descriptors_)) : count_entries(proc_ / "self/fd");
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_fds = limit.rlim_cur;
  return stats;
}

}  // namespace rdmadiag::daemon
