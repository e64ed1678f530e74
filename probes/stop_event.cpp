#include "probes/stop_event.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace rdmadiag::probes {
namespace {

int milliseconds(std::chrono::nanoseconds time) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24);
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(time);
  return static_cast<int>(std::clamp(rounded, std::chrono::milliseconds(0), kLongest).count());
}

}  // namespace

StopEvent::StopEvent() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void StopEvent::set() { eventfd_write(fd_.get(), 1); }

bool StopEvent::is_set() const { return wait(std::chrono::nanoseconds(0)); }

bool StopEvent::wait(std::chrono::nanoseconds time) const { return wait_or_readable(-1, time); }

bool StopEvent::wait_or_readable(int other, std::chrono::nanoseconds time) const {
  std::array<pollfd, 2> polled{{{fd_.get(), POLLIN, 0}, {other, POLLIN, 0}}};
  return poll(polled.data(), polled.size(), milliseconds(time)) > 0 && polled[0].revents != 0;
}

}  // namespace rdmadiag::probes
