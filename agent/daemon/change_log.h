// What changed on the host between two observations, in the words of the log: devices that come,
// go, hang and answer again, ports that change their state, sources that fail and recover. States
// are not logged, changes are. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/log.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::daemon {

struct ChangeLine {
  core::LogLevel level = core::LogLevel::kInfo;
  std::string message;
  std::vector<core::LogField> fields;
};

// `before` may be null: then devices that are there are not news, those that hang are.
[[nodiscard]] std::vector<ChangeLine> describe_changes(const core::HostSnapshot* before,
                                                       const core::HostSnapshot& now);

// Ports that went away and came back between two observations, which look alike.
[[nodiscard]] std::vector<ChangeLine> describe_flaps(const std::vector<core::PortStatus>& before,
                                                     const std::vector<core::PortStatus>& now);

// A health reporter as notified; `before` is null the first time. Nothing when nothing changed.
[[nodiscard]] std::optional<ChangeLine> describe_health(const core::HealthReporter* before,
                                                        const core::HealthReporter& now);

}  // namespace rdmadiag::daemon
