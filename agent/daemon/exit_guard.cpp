#include "agent/daemon/exit_guard.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>

#include "agent/core/log.h"

namespace rdmadiag::daemon {

void ExitGuard::arm(std::chrono::nanoseconds within) {
  thread_ = std::jthread([within](const std::stop_token& disarmed) {
    std::mutex mutex;
    std::condition_variable_any wake_up;
    std::unique_lock lock(mutex);
    wake_up.wait_for(lock, disarmed, within, [] { return false; });
    if (disarmed.stop_requested()) return;
    core::log_warn("not waiting any longer for devices that do not answer");
    _exit(0);
  });
}

}  // namespace rdmadiag::daemon
