// One kernel interface as read for one device: its files, its netlink messages. Every device has
// its own instances, called by that device's reader thread alone, so they keep descriptors and
// listings between reads without a lock. A source that cannot read something says so in the
// IssueLog and goes on; it never throws for what the kernel answers.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/snapshot.h"
#include "agent/host/collect_options.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

// The issues of one read, and the errors since start by source and reason.
class IssueLog {
 public:
  using Counts = std::array<std::array<std::uint64_t, core::kIssueReasonCount>, core::kSourceCount>;

  void add_errno(core::Source source, std::string path, int error_number);
  // `content` is what could not be parsed; kept cut and escaped.
  void add_parse_error(core::Source source, std::string path, std::string_view content);
  // Listed, but not counted as an error: nothing was tried this time.
  void add_backing_off(core::Source source, std::string path, core::IssueReason reason,
                       int error_number);
  void add(core::ReadIssue issue);

  [[nodiscard]] std::vector<core::ReadIssue> take();
  [[nodiscard]] const Counts& counts() const { return counts_; }

  // Issues past this are counted, not listed.
  static constexpr std::size_t kMaxIssues = 512;

 private:
  std::vector<core::ReadIssue> issues_;
  Counts counts_{};
};

// What a device's sources work with. Shared ownership, since a reader stuck in the kernel outlives
// everything else.
struct DeviceContext {
  Roots roots;
  std::string name;
  std::string directory;  // …/class/infiniband/NAME
  CollectOptions options;
  std::shared_ptr<FileReader> files;
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<NetlinkSource> netlink;  // may be null
};

class DeviceSource {
 public:
  virtual ~DeviceSource() = default;

  [[nodiscard]] virtual core::Source source() const = 0;
  // Adds what it reads to `device`, where sources before it have left theirs. True when the source
  // as a whole was read; single missing values do not make it false.
  virtual bool read(core::DeviceSnapshot& device, IssueLog& issues) = 0;
  // The device may have changed: forget listings and descriptors.
  virtual void forget() {}
};

// Null when the source has nothing to do on that device.
using DeviceSourceFactory = std::function<std::unique_ptr<DeviceSource>(const DeviceContext&)>;

}  // namespace rdmadiag::host
