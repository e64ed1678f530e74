// The devices a collector knows: what appeared, what has vanished, what is stuck. One thread reads
// them in turn. A device that holds it up keeps that thread for itself, until it has been quick for
// some time; all that were to follow are then read at once, by a thread each. Used by one thread at
// a time.
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
#include "agent/host/reading_lane.h"

namespace rdmadiag::host {

class DeviceTable {
 public:
  static constexpr std::chrono::nanoseconds kPatience = std::chrono::milliseconds(50);

  // A read that takes longer than `patience` (real time) is held to be slow.
  explicit DeviceTable(DeviceSetup setup, std::chrono::nanoseconds patience = kPatience);
  // Leaves behind what is stuck; see finish().
  ~DeviceTable();

  // Takes a new listing. A device is gone when every listing that had it is complete and lacks it;
  // one that comes back, or another of the same name, gets a new reader and waits for nobody.
  void apply(const Listing& listing);
  // Asks every device that is not at work already; `refresh` lists their files anew.
  void start(std::optional<KernelRelease> kernel, bool refresh);
  // Asks only those that have not been asked since they appeared.
  void start_new(std::optional<KernelRelease> kernel);
  // Whether the reading is done by `until`. It is for wait() to say of a device that it is slow:
  // those that are known to be are not waited for here.
  [[nodiscard]] bool is_done_by(core::SteadyTime until);
  // Takes the answers that are there by the deadline; the rest is stuck. True when a device says
  // that something has vanished.
  bool wait(core::SteadyTime deadline);
  // Ends all threads, or leaves them behind at the deadline.
  void finish(core::SteadyTime deadline);

  // Devices by name, and the issues of those that are left out.
  void report(core::HostSnapshot& host);

 private:
  struct Device {
    FoundDevice found;
    bool present = true;
    core::SteadyTime gone_at{};
    std::shared_ptr<DeviceReader> reader;   // shared with the thread that reads
    std::unique_ptr<ReadingLane> own_lane;  // null: read in turn with the others
    std::shared_ptr<ReadingBatch> batch;    // of the own lane, this round
    std::size_t job = 0;                    // its number there
    unsigned quick_reads = 0;               // on the own lane, one after another
    bool asked = false;                     // started, and not waited for yet
    bool is_new = true;                     // never started
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
  void ask_alone(Device& device, ReadingJob job);
  void start_turn();
  void wait_for_turn(core::SteadyTime deadline);
  void scatter(const std::shared_ptr<ReadingBatch>& batch, BatchEnd why);
  void wait_alone(Device& device, core::SteadyTime deadline);
  void update(Device& device, const FoundDevice* found, const Listing& listing);
  void take(Device& device, DeviceRead read);
  void mark_stuck(Device& device);
  void drop_departed();
  [[nodiscard]] bool was_renamed(const Device& gone) const;
  [[nodiscard]] core::DeviceEntry entry_of(const Device& device) const;

  const DeviceSetup setup_;
  const std::chrono::nanoseconds patience_;
  std::map<std::string, Device> devices_;
  std::unique_ptr<ReadingLane> shared_lane_;  // idle between rounds
  std::shared_ptr<ReadingBatch> turn_;        // what the shared lane reads this round
  std::vector<ReadingJob> next_turn_;
  std::vector<Device*> in_turn_;  // whose they are
};

}  // namespace rdmadiag::host
