// The daemon put together: the only place that builds its object graph, and the order in which it
// comes down. Everything the program takes from the world comes in through AppParts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/process_limits.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"
#include "agent/daemon/options.h"
#include "agent/host/launch.h"
#include "config/config.h"
#include "probes/random.h"

namespace rdmadiag::daemon {

struct AppParts {
  std::shared_ptr<const core::Clock> clock;
  std::filesystem::path own_proc;  // the procfs of this process
  std::string hostname = {};
  probes::RandomSource random = {};
  core::ProcessLimits limits = {};
  std::vector<core::UniqueFd> sockets;        // inherited, already listening
  host::Launch launch = host::launch_thread;  // of slow questions to the kernel
};

// What would keep the daemon from starting, as far as flags and configuration can tell.
[[nodiscard]] core::Status check_start(const Options& options, const config::Config& config);

// Serves until SIGTERM or SIGINT; the signals must be blocked. The error is why it could not start.
[[nodiscard]] core::Status run_daemon(const Options& options, const config::Config& config,
                                      AppParts parts);

// Prints one exposition, or replaces options.output with it.
[[nodiscard]] core::Status run_once(const Options& options, const config::Config& config,
                                    AppParts parts);

}  // namespace rdmadiag::daemon
