#include "agent/cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "agent/core/unique_fd.h"

namespace rdmadiag::cli {
namespace {

// The eventfd of the wait that is on, or -1. A signal can arrive on any thread.
std::atomic<int> waiting{-1};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void on_interrupt(int signal) {
  const int saved = errno;
  if (const int descriptor = waiting.load(); descriptor >= 0) {
    const std::uint64_t one = 1;
    (void)!::write(descriptor, &one, sizeof one);
  } else {
    std::signal(signal, SIG_DFL);
    ::kill(::getpid(), signal);
  }
  errno = saved;
}

}  // namespace

void install_interrupt_handler() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool wait_or_interrupt(std::chrono::nanoseconds duration) {
  duration = std::max(duration, std::chrono::nanoseconds(1));  // 0 would disarm the timer
  // Never closed: a handler on another thread may be about to write.
  static const int interrupted = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const core::UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  itimerspec setting{};
  setting.it_value = {seconds.count(), (duration - seconds).count()};
  if (interrupted < 0 || ::timerfd_settime(timer.get(), 0, &setting, nullptr) != 0) return false;

  waiting = interrupted;
  std::array<pollfd, 2> waited = {{{interrupted, POLLIN, 0}, {timer.get(), POLLIN, 0}}};
  while (::poll(waited.data(), waited.size(), -1) < 0 && errno == EINTR) {
  }
  waiting = -1;
  std::uint64_t taken = 0;
  return ::read(interrupted, &taken, sizeof taken) < 0;
}

}  // namespace rdmadiag::cli
