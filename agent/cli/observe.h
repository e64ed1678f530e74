// Where a command's snapshots come from: this host, a capture, or another host's agent.
#pragma once

#include <memory>
#include <string>

#include "agent/cli/agent_client.h"
#include "agent/cli/world.h"
#include "agent/core/agent_status.h"
#include "agent/core/expectations.h"
#include "agent/core/snapshot.h"
#include "agent/host/collect_options.h"

namespace rdmadiag::cli {

struct Observation {
  std::shared_ptr<const core::HostSnapshot> host;
  // With the diagnosis: the agent's own where there is one, else made of what was observed.
  core::AgentStatus agent;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Reads anew, except from a capture, which never changes. From the second time on, the diagnosis
  // compares with the look before.
  [[nodiscard]] virtual core::Result<Observation> observe() = 0;
};

struct ObserverOptions {
  AgentChoice agent;         // without an address: no agent, this host
  bool queue_pairs = false;  // ask the kernel for each queue pair
  // The diagnosis compares with the first look, instead of the one before.
  bool compare_with_first = false;
};

// Fails when a filter is no regular expression or a capture cannot be read.
[[nodiscard]] core::Result<std::unique_ptr<Observer>> open_observer(const Context& context,
                                                                    const ObserverOptions& options);

// One look, for commands that need no more; a failure is said on `err`.
[[nodiscard]] std::optional<Observation> observe_once(const Context& context,
                                                      const ObserverOptions& options);

// The exit code of a command that shows what there is: where no device could be looked at, 3, and
// `err` says why.
int tell_devices(const Context& context, const core::HostSnapshot& host);

// Says what failed on `err`; gives the exit code.
int report_failure(const Context& context, const core::Error& error);

// How a command reads: at once, and with a person's patience for a device that is stuck.
[[nodiscard]] host::CollectOptions collect_options(const Context& context,
                                                   const ObserverOptions& options);

}  // namespace rdmadiag::cli
