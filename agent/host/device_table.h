// The devices a collector knows, with a worker each: what appeared, what has vanished, what is
// stuck. Used by one thread at a time.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/device_reader.h"
#include "agent/host/discovery.h"
#include "agent/host/worker.h"

namespace rdmadiag::host {

class DeviceTable {
 public:
  explicit DeviceTable(DeviceSetup setup);
  // Leaves behind what is stuck; see finish().
  ~DeviceTable();

  // Takes a new listing. A device is gone when every listing that had it is complete and lacks it;
  // one that comes back, or another of the same name, gets a new worker and waits for nobody.
  void apply(const Listing& listing);
  // Asks every device that is not at work already; `refresh` lists their files anew.
  void start(std::optional<KernelRelease> kernel, bool refresh);
  // Asks only those that have not been asked since they appeared.
  void start_new(std::optional<KernelRelease> kernel);
  // Takes the answers that are there by the deadline; the rest is stuck. True when a device says
  // that something has vanished.
  bool wait(core::SteadyTime deadline);
  // Ends all workers, or leaves them behind at the deadline.
  void finish(core::SteadyTime deadline);

  // Devices by name, and the issues of those that are left out.
  void report(core::HostSnapshot& host);

 private:
  using DeviceWorker = Worker<DeviceRequest, DeviceRead>;

  struct Device {
    FoundDevice found;
    bool present = true;
    core::SteadyTime gone_at{};
    std::shared_ptr<DeviceReader> reader;  // shared with the worker's thread
    std::unique_ptr<DeviceWorker> worker;
    bool asked = false;  // started, and not waited for yet
    bool is_new = true;  // never started
    bool stuck = false;
    bool excluded = false;
    DeviceRead read;  // of this round; empty when stuck

    // From the last complete read.
    std::optional<core::SteadyTime> read_steady;
    std::vector<core::SourceStatus> sources;
    std::vector<std::uint32_t> ports;
    std::string identity;
    std::array<std::uint64_t, core::kSourceCount> timeouts{};
  };

  void renew(Device& device);
  void ask(Device& device, const std::optional<KernelRelease>& kernel, bool refresh);
  void update(Device& device, const FoundDevice* found, const Listing& listing);
  void take(Device& device, DeviceRead read);
  void mark_stuck(Device& device);
  void drop_departed();
  [[nodiscard]] bool was_renamed(const Device& gone) const;
  [[nodiscard]] core::DeviceEntry entry_of(const Device& device) const;

  DeviceSetup setup_;
  std::map<std::string, Device> devices_;
};

}  // namespace rdmadiag::host
