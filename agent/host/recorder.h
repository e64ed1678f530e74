// Passes calls on to a FileReader, an AddressReader or a NetlinkSource and keeps every answer in a
// Capture. Safe to call from any thread. take() gives what has been answered so far: a call that is
// stuck in the kernel is missing from it.
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

class RecordingFileReader final : public FileReader {
 public:
  // Only what lies below the roots is kept; both spellings of a root that is a link are known.
  RecordingFileReader(std::shared_ptr<FileReader> inner, const Roots& roots);

  int open(const std::string& path) override;
  std::ptrdiff_t read_from_start(int descriptor, std::span<char> into) override;
  void close(int descriptor) override;
  int list(const std::string& path, std::vector<DirectoryEntry>& entries) override;
  std::string resolve(const std::string& path) override;

  // Adds the files, directories and links seen so far.
  void take(Capture& capture);

 private:
  [[nodiscard]] std::optional<std::string> relative(const std::string& path) const;

  std::shared_ptr<FileReader> inner_;
  std::vector<std::pair<std::string, std::string>> prefixes_;  // "/sys/" → "sys/"
  std::mutex mutex_;                                           // guards what follows
  std::unordered_map<int, std::string> open_files_;
  Capture seen_;
};

class RecordingAddresses final {
 public:
  explicit RecordingAddresses(AddressReader inner) : inner_(std::move(inner)) {}

  core::Result<AddressList> read();

  void take(Capture& capture);

 private:
  AddressReader inner_;
  std::mutex mutex_;  // guards what follows
  std::optional<CapturedAnswer<AddressList>> seen_;
};

class RecordingNetlink final : public NetlinkSource {
 public:
  explicit RecordingNetlink(std::shared_ptr<NetlinkSource> inner) : inner_(std::move(inner)) {}

  core::Result<std::vector<NetlinkDevice>> list_devices() override;
  core::Result<NetlinkPort> port(std::uint32_t device_index, std::uint32_t port) override;
  core::Result<std::vector<NetlinkCounter>> port_statistics(std::uint32_t device_index,
                                                            std::uint32_t port) override;
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t device_index) override;
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t device_index) override;
  core::Result<bool> netns_shared() override;

  void take(Capture& capture);

 private:
  std::shared_ptr<NetlinkSource> inner_;
  std::mutex mutex_;  // guards what follows
  CapturedNetlink seen_;
};

}  // namespace rdmadiag::host
