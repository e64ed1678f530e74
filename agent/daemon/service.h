// The service manager's side of the daemon: readiness, reloads, watchdog and inherited sockets.
// Every call does nothing when no service manager asks for it. The protocol is the one
// sd_notify(3), sd_listen_fds(3) and sd_watchdog_enabled(3) document and promise to keep;
// libsystemd itself would bring five libraries and a megabyte into every agent for these few
// messages.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::daemon {

void notify_ready(const std::string& status);
void notify_reloading(core::SteadyTime now);
void notify_stopping();
void notify_alive();

// How often notify_alive() is wanted; empty without a watchdog.
[[nodiscard]] std::optional<std::chrono::nanoseconds> watchdog_period();

// Listening sockets that were handed over; they belong to the caller from then on.
[[nodiscard]] core::Result<std::vector<core::UniqueFd>> inherited_sockets();

}  // namespace rdmadiag::daemon
