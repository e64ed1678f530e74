// The one read path: the kernel's RDMA state into a HostSnapshot. Any number of threads may call
// collect(); requests within min_interval get the same snapshot, concurrent ones share one read,
// and none waits longer than the deadline. One thread reads the devices in turn; when it is stuck
// in the kernel it is left alone, its device marked stuck, and the others are read by other
// threads.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "agent/host/collect_options.h"
#include "agent/host/device_source.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

// Shared, since a reader stuck in the kernel may outlive the collector.
struct CollectorParts {
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<FileReader> files = std::make_shared<SystemFileReader>();
  // Null: sysfs alone. Leave it null when the roots are a capture or a test's folder.
  std::shared_ptr<NetlinkSource> netlink;
  // Read after the built-in sources of each device, in this order.
  std::vector<DeviceSourceFactory> more_sources;
};

class Collector {
 public:
  // Reads nothing yet. The options must have passed check_options().
  Collector(Roots roots, CollectOptions options, CollectorParts parts);
  // Waits at most the deadline for readers that are at work, then leaves them behind.
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  [[nodiscard]] std::shared_ptr<const core::HostSnapshot> collect();
  // The same for a thread that must not wait: null when it takes longer than `patience` (real
  // time), when the devices have to be listed first, or when somebody else is reading. A read that
  // was begun is collect()'s to end.
  [[nodiscard]] std::shared_ptr<const core::HostSnapshot> try_collect(
      std::chrono::nanoseconds patience);

  // The next collect() lists devices, files and GIDs anew and reads whatever the age of the last.
  void rescan();

  // Takes other options from the next collect() on; error counts start anew.
  void reconfigure(CollectOptions options);

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Says which filter is not a regular expression, or which link layer is unknown.
[[nodiscard]] core::Status check_options(const CollectOptions& options);

}  // namespace rdmadiag::host
