#include "probes/discovery/file_source.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <utility>

#include "probes/discovery/target_groups.h"

namespace rdmadiag::probes {
namespace {

core::Result<std::string> read_file(const std::string& path) {
  const core::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return core::errno_error(errno, "reading " + path);
  if (!S_ISREG(status.st_mode)) return core::fail("reading " + path + ": not a regular file");
  std::string text;
  std::array<char, 65536> piece{};
  while (text.size() <= kMaxTargetText) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0) return core::errno_error(errno, "reading " + path);
    if (count == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::vector<std::string> files_of(const std::string& pattern) {
  if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
  glob_t found{};
  std::vector<std::string> files;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return files;
}

core::Result<SourceReading> read_targets(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return tl::make_unexpected(text.error());
  const bool is_json = path.ends_with(".json");
  auto reading = parse_target_groups(*text, is_json ? TargetFormat::kJson : TargetFormat::kYaml);
  if (!reading) return core::fail(path + ": " + reading.error().message());
  if (!reading->problem.empty()) reading->problem.insert(0, path + ": ");
  return reading;
}

// Folders are watched, not files: a file that is replaced by a rename is another file.
class FolderWatch {
 public:
  FolderWatch() : notify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

  // Those not there yet are tried again the next time.
  void watch(const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns) {
      const std::string folder = std::filesystem::path(pattern).parent_path();
      constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE;
      if (notify_) inotify_add_watch(notify_.get(), folder.c_str(), kEvents | IN_ONLYDIR);
    }
  }

  [[nodiscard]] int fd() const { return notify_.get(); }

  void drain() const {
    std::array<char, 4096> sink{};
    while (notify_ && ::read(notify_.get(), sink.data(), sink.size()) > 0) {
    }
  }

 private:
  core::UniqueFd notify_;
};

}  // namespace

FileSource::FileSource(std::vector<std::string> patterns, std::chrono::nanoseconds refresh)
    : patterns_(std::move(patterns)), refresh_(refresh) {}

std::string FileSource::name() const {
  std::string name = "file_sd";
  for (const std::string& pattern : patterns_) name += ' ' + pattern;
  return name;
}

core::Result<SourceReading> FileSource::read() const {
  SourceReading all;
  std::optional<core::Error> first_error;
  std::size_t read_well = 0;
  std::set<std::string> seen;
  for (const std::string& pattern : patterns_) {
    for (const std::string& file : files_of(pattern)) {
      if (!seen.insert(file).second) continue;
      auto reading = read_targets(file);
      if (!reading) {
        if (!first_error) first_error = std::move(reading.error());
        continue;
      }
      ++read_well;
      if (all.problem.empty()) all.problem = std::move(reading->problem);
      std::move(reading->peers.begin(), reading->peers.end(), std::back_inserter(all.peers));
    }
  }
  if (!first_error) return all;
  if (read_well == 0) return tl::make_unexpected(std::move(*first_error));
  all.problem = first_error->message();
  return all;
}

void FileSource::run(const StopEvent& stop, const Publish& publish) {
  FolderWatch folders;
  bool stopped = false;
  while (!stopped) {
    // Watched before they are read, so that no change falls in between.
    folders.watch(patterns_);
    folders.drain();
    publish(read());
    stopped = stop.wait_or_readable(folders.fd(), refresh_);
  }
}

}  // namespace rdmadiag::probes
