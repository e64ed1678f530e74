// The burst sampler: looks at the traffic and pause counters of each device many times a second,
// from a thread of that device's own. A device that is slow, or a machine short of CPU, costs
// samples and nothing else; a report never waits for a look. Any thread may call.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/core/burst.h"
#include "agent/core/clock.h"
#include "agent/host/burst_plan.h"
#include "agent/host/ethtool_ioctl.h"
#include "agent/host/file_reader.h"
#include "agent/host/launch.h"
#include "agent/host/periodic_thread.h"

namespace rdmadiag::host {

// CPU time of the calling thread.
[[nodiscard]] std::chrono::nanoseconds thread_cpu_time();

struct BurstParts {
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<FileReader> files = std::make_shared<SystemFileReader>();
  std::shared_ptr<EthtoolIoctl> ioctl = std::make_shared<SystemEthtoolIoctl>();
  std::function<std::chrono::nanoseconds()> cpu_time = thread_cpu_time;
  Launch launch = launch_thread;  // where threads are waited for that are no longer wanted

  std::chrono::nanoseconds period = std::chrono::milliseconds(20);
  std::chrono::nanoseconds window = std::chrono::seconds(15);
};

// One device: what its thread does, apart from the thread. The look and the report may be called by
// two threads; looks by one.
class BurstLook {
 public:
  // The most of one CPU that sampling a device may take: as much again for pauses.
  static constexpr double kCpuShare = 0.01;

  // Windows and totals outlive a change of what is read.
  struct Kept;
  BurstLook(std::vector<BurstPort> ports, const BurstParts& parts, std::shared_ptr<Kept> kept);
  ~BurstLook();
  BurstLook(const BurstLook&) = delete;
  BurstLook& operator=(const BurstLook&) = delete;

  [[nodiscard]] static std::shared_ptr<Kept> make_kept(const BurstParts& parts);
  [[nodiscard]] static core::BurstDevice report(const std::string& device, Kept& kept,
                                                core::SteadyTime now);
  void look();

 private:
  struct Port;
  [[nodiscard]] std::chrono::nanoseconds spend(core::CpuBudget& budget,
                                               std::chrono::nanoseconds before) const;
  [[nodiscard]] std::vector<core::BurstSample> read_pauses();
  void keep(const std::vector<core::BurstSample>& samples,
            const std::vector<core::BurstSample>& pauses, std::chrono::nanoseconds cost);

  const BurstParts parts_;
  const std::shared_ptr<Kept> kept_;
  std::vector<std::unique_ptr<Port>> ports_;
  core::CpuBudget files_budget_{kCpuShare};
  core::CpuBudget pauses_budget_{kCpuShare};
};

class BurstSampler {
 public:
  explicit BurstSampler(BurstParts parts);
  // Leaves behind what is stuck in the kernel.
  ~BurstSampler();
  BurstSampler(const BurstSampler&) = delete;
  BurstSampler& operator=(const BurstSampler&) = delete;

  // Does not wait for looks at work: what they see of a former set of ports still counts.
  void set_ports(const std::vector<BurstPort>& ports);
  [[nodiscard]] std::vector<core::BurstDevice> report() const;

 private:
  struct Device {
    std::vector<BurstPort> ports;
    std::shared_ptr<BurstLook::Kept> kept;
    std::unique_ptr<PeriodicThread> thread;
  };

  const BurstParts parts_;
  mutable std::mutex mutex_;
  std::map<std::string, Device> devices_;
};

}  // namespace rdmadiag::host
