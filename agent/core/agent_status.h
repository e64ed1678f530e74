// What the running agent knows beside the snapshot of the moment: about itself, and what it has
// seen of each port since it started. Outputs take it as an argument; the CLI passes an empty one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/burst.h"
#include "agent/core/clock.h"
#include "agent/core/finding.h"
#include "agent/core/probe.h"

namespace rdmadiag::core {

// The agent's own process, as /proc/self tells.
struct ProcessStats {
  std::optional<double> cpu_seconds;         // user and system
  std::optional<double> start_time_seconds;  // since the epoch
  std::optional<std::uint64_t> open_fds;
  std::optional<std::uint64_t> max_fds;
  std::optional<std::uint64_t> virtual_memory_bytes;
  std::optional<std::uint64_t> resident_memory_bytes;
  std::optional<std::uint64_t> threads;
};

// One port since the agent's start.
struct PortStatus {
  std::string device;
  std::uint32_t port = 0;
  std::optional<double> expected_bits_per_second;  // from config, else the highest seen
  std::optional<std::uint64_t> state_changes;      // counted by the watcher; empty without one
  std::optional<SystemTime> last_state_change;
};

struct AgentStatus {
  std::string version;
  std::string revision;
  bool config_reload_successful = true;
  std::optional<SystemTime> config_reloaded_at;      // last success, the start included
  std::optional<bool> web_config_reload_successful;  // empty without a web configuration
  std::optional<ProcessStats> process;
  std::vector<PortStatus> ports;
  std::vector<BurstDevice> bursts;  // of each sampled device
  Diagnosis diagnosis;
  std::vector<ProbeSnapshot> probes;  // one a probed NIC

  [[nodiscard]] const PortStatus* find_port(std::string_view device, std::uint32_t port) const {
    for (const PortStatus& status : ports) {
      if (status.port == port && status.device == device) return &status;
    }
    return nullptr;
  }
};

}  // namespace rdmadiag::core
