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

// The words of `text` that stand at `first` and after it, as many as fit.
template <std::size_t N>
std::array<std::string_view, N> words_from(std::size_t first, std::string_view text) {
  std::array<std::string_view, N> words{};
  for (std::size_t position = 0; !text.empty() && position < first + N;) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) {
      if (position >= first && position - first < N) words[position - first] = text.substr(0, end);
      ++position;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
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

std::optional<std::uint64_t> count_entries(const std::filesystem::path& folder) {
  DIR* directory = opendir(folder.c_str());
  if (directory == nullptr) return std::nullopt;
  std::uint64_t count = 0;
  while (const dirent* entry = readdir(directory))
    if (entry->d_name[0] != '.') ++count;
  closedir(directory);
  return count - 1;  // the one that lists
}

std::uint64_t size_of(const core::UniqueFd& fd) {
  struct stat status {};
  return fstat(fd.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Linux 6.2 and later tell the number as the size of the folder; listing it makes an inode of each.
core::UniqueFd open_counting_folder(const std::filesystem::path& folder) {
  core::UniqueFd fd(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct statfs system {};
  const bool is_procfs = fd && fstatfs(fd.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
  return is_procfs && size_of(fd) > 0 ? std::move(fd) : core::UniqueFd();
}

}  // namespace

ProcessReader::ProcessReader(std::filesystem::path proc)
    : proc_(std::move(proc)),
      stat_(open_file(proc_ / "self/stat")),
      descriptors_(open_counting_folder(proc_ / "self/fd")),
      boot_time_seconds_(read_boot_time(proc_)) {}

core::ProcessStats ProcessReader::read() const {
  core::ProcessStats stats;
  std::array<char, 1024> buffer;
  const ssize_t length = stat_ ? pread(stat_.get(), buffer.data(), buffer.size(), 0) : 0;
  const std::string_view stat(buffer.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  // The command in parentheses may hold anything; fields are counted from its end (proc(5): the
  // first after it is number 3).
  const std::size_t command_end = stat.rfind(')');
  if (command_end == std::string_view::npos) return stats;
  constexpr std::size_t kFirst = 14;
  const auto fields = words_from<11>(kFirst - 3, stat.substr(command_end + 1));
  const auto field = [&](std::size_t position) { return number(fields[position - kFirst]); };
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto user = field(14);
  const auto system = field(15);
  if (user && system) stats.cpu_seconds = static_cast<double>(*user + *system) / ticks;
  stats.threads = field(20);
  const auto started = field(22);
  if (started && boot_time_seconds_)
    stats.start_time_seconds = *boot_time_seconds_ + static_cast<double>(*started) / ticks;
  stats.virtual_memory_bytes = field(23);
  if (const auto pages = field(24))
    stats.resident_memory_bytes = *pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  stats.open_fds =
      descriptors_ ? std::optional(size_of(descriptors_)) : count_entries(proc_ / "self/fd");
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) stats.max_fds = limit.rlim_cur;
  return stats;
}

}  // namespace rdmadiag::daemon
