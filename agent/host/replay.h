// Answers a Collector out of a Capture: the same values, the same errors, nothing of this machine.
// The capture is shared and never changed; safe to call from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "agent/host/capture.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

// The roots a Collector on a ReplayFileReader must be given.
[[nodiscard]] Roots replay_roots();

class ReplayFileReader final : public FileReader {
 public:
  explicit ReplayFileReader(std::shared_ptr<const Capture> capture);

  int open(const std::string& path) override;
  std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) override;
  void close(int descriptor) override;
  int list(const std::string& path, std::vector<DirectoryEntry>& entries) override;
  std::string resolve(const std::string& path) override;

 private:
  std::shared_ptr<const Capture> capture_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<int, const CapturedFile*> open_files_;
  int next_descriptor_ = 1;  // no descriptor of this process: only this class understands them
};

// The capture must hold them.
[[nodiscard]] AddressReader replay_addresses(std::shared_ptr<const Capture> capture);

class ReplayNetlink final : public NetlinkSource {
 public:
  // The capture must hold netlink's answers.
  explicit ReplayNetlink(std::shared_ptr<const Capture> capture);

  core::Result<std::vector<NetlinkDevice>> list_devices() override;
  core::Result<NetlinkPort> port(std::uint32_t device_index, std::uint32_t port) override;
  core::Result<std::vector<NetlinkCounter>> port_statistics(std::uint32_t device_index,
                                                            std::uint32_t port) override;
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t device_index) override;
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t device_index) override;
  core::Result<bool> netns_shared() override;

 private:
  std::shared_ptr<const Capture> capture_;
};

}  // namespace rdmadiag::host
