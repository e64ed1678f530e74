#include "agent/host/replay.h"

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "agent/host/capture_path.h"

namespace rdmadiag::host {
namespace {

constexpr std::string_view kRoot = "/capture/";

// "/capture/sys//class/" → "sys/class"; empty, which no capture knows, for what lies elsewhere.
std::string key_of(std::string_view path) {
  if (!path.starts_with(kRoot)) return {};
  return capture_path(path.substr(kRoot.size())).value_or("");
}

template <class T>
core::Result<T> replayed(const CapturedAnswer<T>& answer) {
  if (answer.value) return *answer.value;
  return core::errno_error(answer.error == 0 ? ENODATA : answer.error, "netlink (captured)");
}

template <class Map, class Key>
auto replayed_from(const Map& answers, const Key& key) {
  const auto found = answers.find(key);
  return replayed(found == answers.end() ? typename Map::mapped_type{} : found->second);
}

}  // namespace

Roots replay_roots() {
  return {std::string(kRoot) + "sys", std::string(kRoot) + "proc", std::string(kRoot) + "dev"};
}

ReplayFileReader::ReplayFileReader(std::shared_ptr<const Capture> capture)
    : capture_(std::move(capture)) {}

int ReplayFileReader::open(const std::string& path) {
  const auto file = capture_->files.find(key_of(path));
  if (file == capture_->files.end()) return -ENOENT;
  if (file->second.open_error != 0) return -file->second.open_error;
  const std::scoped_lock lock(mutex_);
  const int descriptor = next_descriptor_++;
  open_files_.emplace(descriptor, &file->second);
  return descriptor;
}

std::ptrdiff_t ReplayFileReader::read_from_start(int descriptor, std::span<char> into) {
  const std::scoped_lock lock(mutex_);
  const auto found = open_files_.find(descriptor);
  if (found == open_files_.end()) return -EBADF;
  const CapturedFile& file = *found->second;
  if (file.read_error != 0) return -file.read_error;
  const std::size_t size = std::min(file.content.size(), into.size());
  std::copy_n(file.content.begin(), size, into.begin());
  return static_cast<std::ptrdiff_t>(size);
}

void ReplayFileReader::close(int descriptor) {
  const std::scoped_lock lock(mutex_);
  open_files_.erase(descriptor);
}

int ReplayFileReader::list(const std::string& path, std::vector<DirectoryEntry>& entries) {
  const auto directory = capture_->directories.find(key_of(path));
  if (directory == capture_->directories.end()) return -ENOENT;
  if (directory->second.error != 0) return -directory->second.error;
  entries = directory->second.entries;
  return 0;
}

std::string ReplayFileReader::resolve(const std::string& path) {
  const auto found = capture_->resolved.find(key_of(path));
  if (found == capture_->resolved.end() || found->second.empty()) return "";
  return std::string(kRoot) + found->second;
}

AddressReader replay_addresses(std::shared_ptr<const Capture> capture) {
  return [capture = std::move(capture)] { return replayed(*capture->addresses); };
}

ReplayNetlink::ReplayNetlink(std::shared_ptr<const Capture> capture)
    : capture_(std::move(capture)) {}

core::Result<std::vector<NetlinkDevice>> ReplayNetlink::list_devices() {
  return replayed(capture_->netlink->devices);
}

core::Result<NetlinkPort> ReplayNetlink::port(std::uint32_t device_index, std::uint32_t port) {
  return replayed_from(capture_->netlink->ports, PortKey(device_index, port));
}

core::Result<std::vector<NetlinkCounter>> ReplayNetlink::port_statistics(std::uint32_t device_index,
                                                                         std::uint32_t port) {
  return replayed_from(capture_->netlink->statistics, PortKey(device_index, port));
}

core::Result<std::vector<core::ResourceCount>> ReplayNetlink::resources(
    std::uint32_t device_index) {
  return replayed_from(capture_->netlink->resources, device_index);
}

core::Result<std::vector<core::QueuePair>> ReplayNetlink::queue_pairs(std::uint32_t device_index) {
  return replayed_from(capture_->netlink->queue_pairs, device_index);
}

core::Result<bool> ReplayNetlink::netns_shared() {
  return replayed(capture_->netlink->netns_shared);
}

}  // namespace rdmadiag::host
