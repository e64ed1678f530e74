#include "agent/daemon/service.h"

#include <sys/socket.h>
#include <systemd/sd-daemon.h>

namespace rdmadiag::daemon {

void notify_ready(const std::string& status) {
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void notify_reloading(core::SteadyTime now) {
  // Type=notify-reload wants CLOCK_MONOTONIC, which is what the steady clock is on Linux.
  const auto since_boot =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(since_boot.count())).c_str());
}

void notify_stopping() { sd_notify(0, "STOPPING=1"); }

void notify_alive() { sd_notify(0, "WATCHDOG=1"); }

std::optional<std::chrono::nanoseconds> watchdog_period() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0 || microseconds == 0) return std::nullopt;
  return std::chrono::microseconds(microseconds / 3);
}

core::Result<std::vector<core::UniqueFd>> inherited_sockets() {
  const int count = sd_listen_fds(1);
  if (count < 0) return core::errno_error(-count, "taking over the service manager's sockets");
  std::vector<core::UniqueFd> sockets;
  for (int i = 0; i < count; ++i) {
    core::UniqueFd socket(SD_LISTEN_FDS_START + i);
    if (sd_is_socket(socket.get(), AF_UNSPEC, SOCK_STREAM, 1) <= 0)
      return core::fail("inherited descriptor " + std::to_string(socket.get()) +
                        " is not a listening stream socket");
    sockets.push_back(std::move(socket));
  }
  return sockets;
}

}  // namespace rdmadiag::daemon
