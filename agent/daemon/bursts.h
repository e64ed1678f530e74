// The burst sampler as the daemon has it: on or off as configured, its ports those of the last
// read. Any thread may call; none waits for a device.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/core/burst.h"
#include "agent/core/snapshot.h"
#include "agent/host/burst.h"
#include "config/config.h"

namespace rdmadiag::daemon {

class Bursts {
 public:
  // Of `parts`, period and window come from the configuration.
  Bursts(host::Roots roots, host::BurstParts parts, const config::BurstSampling& config);

  // The same again changes nothing; anything else begins anew.
  void configure(const config::BurstSampling& config);
  // A device that does not answer keeps its ports, one that is gone does not.
  void follow(const core::HostSnapshot& host);
  // Empty while it is off.
  [[nodiscard]] std::vector<core::BurstDevice> report() const;

 private:
  void start();

  const host::Roots roots_;
  const host::BurstParts parts_;
  mutable std::mutex mutex_;  // guards what follows
  config::BurstSampling config_;
  std::map<std::string, std::vector<host::BurstPort>> ports_;
  std::shared_ptr<host::BurstSampler> sampler_;
};

}  // namespace rdmadiag::daemon
