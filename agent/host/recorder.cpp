#include "agent/host/recorder.h"

#include <algorithm>
#include <utility>

#include "agent/host/capture_path.h"

namespace rdmadiag::host {
namespace {

// Values are short; a file beyond this is kept cut.
constexpr std::size_t kMaxContent = 64 * 1024;

std::string with_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path == "/" ? path : path + "/";
}

template <class T>
CapturedAnswer<T> captured(const core::Result<T>& result) {
  if (result) return {*result, 0};
  return {std::nullopt, result.error().code.value()};
}

}  // namespace

RecordingFileReader::RecordingFileReader(std::shared_ptr<FileReader> inner, const Roots& roots)
    : inner_(std::move(inner)) {
  const auto add = [&](const std::string& root, const char* name) {
    if (root.empty()) return;
    prefixes_.emplace_back(with_slash(root), name);
    const std::string resolved = inner_->resolve(root);
    if (!resolved.empty() && resolved != root) prefixes_.emplace_back(with_slash(resolved), name);
  };
  add(roots.sys.string(), "sys/");
  add(roots.proc.string(), "proc/");
  add(roots.dev.string(), "dev/");
}

std::optional<std::string> RecordingFileReader::relative(const std::string& path) const {
  for (const auto& [prefix, name] : prefixes_) {
    if (path.starts_with(prefix)) return capture_path(name + path.substr(prefix.size()));
    if (path + "/" == prefix) return capture_path(name);
  }
  return std::nullopt;
}

int RecordingFileReader::open(const std::string& path) {
  const int descriptor = inner_->open(path);
  if (const auto name = relative(path)) {
    const std::scoped_lock lock(mutex_);
    if (descriptor >= 0) open_files_[descriptor] = *name;
    seen_.files[*name].open_error = descriptor < 0 ? -descriptor : 0;
  }
  return descriptor;
}

std::ptrdiff_t RecordingFileReader::read_from_start(int descriptor, std::span<char> into) {
  const std::ptrdiff_t size = inner_->read_from_start(descriptor, into);
  const std::scoped_lock lock(mutex_);
  const auto open_file = open_files_.find(descriptor);
  if (open_file == open_files_.end()) return size;
  CapturedFile& file = seen_.files[open_file->second];
  file.read_error = size < 0 ? static_cast<int>(-size) : 0;
  if (size >= 0)
    file.content.assign(into.data(),
                        std::min<std::size_t>(static_cast<std::size_t>(size), kMaxContent));
  return size;
}

void RecordingFileReader::close(int descriptor) {
  {
    // Before the descriptor is free to be given out again.
    const std::scoped_lock lock(mutex_);
    open_files_.erase(descriptor);
  }
  inner_->close(descriptor);
}

int RecordingFileReader::list(const std::string& path, std::vector<DirectoryEntry>& entries) {
  const int result = inner_->list(path, entries);
  if (const auto name = relative(path)) {
    std::vector<DirectoryEntry> kept = result < 0 ? std::vector<DirectoryEntry>() : entries;
    // A capture of the same host is the same, in whatever order the file system lists.
    std::sort(kept.begin(), kept.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    const std::scoped_lock lock(mutex_);
    seen_.directories[*name] = {std::move(kept), result < 0 ? -result : 0};
  }
  return result;
}

std::string RecordingFileReader::resolve(const std::string& path) {
  std::string resolved = inner_->resolve(path);
  if (const auto name = relative(path)) {
    const std::scoped_lock lock(mutex_);
    seen_.resolved[*name] = resolved.empty() ? "" : relative(resolved).value_or("");
  }
  return resolved;
}

void RecordingFileReader::take(Capture& capture) {
  const std::scoped_lock lock(mutex_);
  capture.files.insert(seen_.files.begin(), seen_.files.end());
  capture.directories.insert(seen_.directories.begin(), seen_.directories.end());
  capture.resolved.insert(seen_.resolved.begin(), seen_.resolved.end());
}

core::Result<AddressList> RecordingAddresses::read() {
  auto result = inner_();
  const std::scoped_lock lock(mutex_);
  seen_ = captured(result);
  return result;
}

void RecordingAddresses::take(Capture& capture) {
  const std::scoped_lock lock(mutex_);
  capture.addresses = seen_;
}

core::Result<std::vector<NetlinkDevice>> RecordingNetlink::list_devices() {
  auto result = inner_->list_devices();
  const std::scoped_lock lock(mutex_);
  seen_.devices = captured(result);
  return result;
}

core::Result<NetlinkPort> RecordingNetlink::port(std::uint32_t device_index, std::uint32_t port) {
  auto result = inner_->port(device_index, port);
  const std::scoped_lock lock(mutex_);
  seen_.ports[{device_index, port}] = captured(result);
  return result;
}

core::Result<std::vector<NetlinkCounter>> RecordingNetlink::port_statistics(
    std::uint32_t device_index, std::uint32_t port) {
  auto result = inner_->port_statistics(device_index, port);
  const std::scoped_lock lock(mutex_);
  seen_.statistics[{device_index, port}] = captured(result);
  return result;
}

core::Result<std::vector<core::ResourceCount>> RecordingNetlink::resources(
    std::uint32_t device_index) {
  auto result = inner_->resources(device_index);
  const std::scoped_lock lock(mutex_);
  seen_.resources[device_index] = captured(result);
  return result;
}

core::Result<std::vector<core::QueuePair>> RecordingNetlink::queue_pairs(
    std::uint32_t device_index) {
  auto result = inner_->queue_pairs(device_index);
  const std::scoped_lock lock(mutex_);
  seen_.queue_pairs[device_index] = captured(result);
  return result;
}

core::Result<bool> RecordingNetlink::netns_shared() {
  auto result = inner_->netns_shared();
  const std::scoped_lock lock(mutex_);
  seen_.netns_shared = captured(result);
  return result;
}

void RecordingNetlink::take(Capture& capture) {
  const std::scoped_lock lock(mutex_);
  capture.netlink = seen_;
}

}  // namespace rdmadiag::host
