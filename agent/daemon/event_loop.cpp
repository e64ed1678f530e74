#include "agent/daemon/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rdmadiag::daemon {
namespace {

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

// Empties an eventfd or timerfd; false when another reader was faster.
bool drain(int fd) {
  std::uint64_t count = 0;
  return read(fd, &count, sizeof count) == sizeof count;
}

timespec to_timespec(std::chrono::nanoseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count()};
}

}  // namespace

void block_signals(const std::vector<int>& signals) {
  const sigset_t set = set_of(signals);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

EventLoop::EventLoop(core::UniqueFd epoll, core::UniqueFd wake_up)
    : epoll_(std::move(epoll)), wake_up_(std::move(wake_up)) {}

core::Result<std::unique_ptr<EventLoop>> EventLoop::make() {
  core::UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return core::errno_error(errno, "epoll_create1");
  core::UniqueFd wake_up(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_up) return core::errno_error(errno, "eventfd");
  std::unique_ptr<EventLoop> loop(new EventLoop(std::move(epoll), std::move(wake_up)));
  EventLoop* self = loop.get();
  const auto status = loop->watch(loop->wake_up_.get(), [self] {
    drain(self->wake_up_.get());
    self->run_posted();
  });
  if (!status) return tl::make_unexpected(status.error());
  return loop;
}

core::Status EventLoop::watch(int fd, Callback on_readable) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return core::errno_error(errno, "epoll_ctl");
  callbacks_[fd] = std::move(on_readable);
  return {};
}

core::Status EventLoop::every(std::chrono::nanoseconds period, Callback on_tick) {
  core::UniqueFd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer) return core::errno_error(errno, "timerfd_create");
  const itimerspec times{.it_interval = to_timespec(period), .it_value = to_timespec(period)};
  if (timerfd_settime(timer.get(), 0, &times, nullptr) != 0)
    return core::errno_error(errno, "timerfd_settime");
  const int fd = timer.get();
  owned_.push_back(std::move(timer));
  return watch(fd, [fd, tick = std::move(on_tick)] {
    if (drain(fd)) tick();
  });
}

core::Status EventLoop::on_signals(const std::vector<int>& signals,
                                   std::function<void(int signal)> on_signal) {
  const sigset_t set = set_of(signals);
  core::UniqueFd descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor) return core::errno_error(errno, "signalfd");
  const int fd = descriptor.get();
  owned_.push_back(std::move(descriptor));
  return watch(fd, [fd, call = std::move(on_signal)] {
    signalfd_siginfo info{};
    while (read(fd, &info, sizeof info) == sizeof info) call(static_cast<int>(info.ssi_signo));
  });
}

void EventLoop::post(Callback task) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(task));
  }
  const std::uint64_t one = 1;
  // Can only fail when the counter is full, and then the loop is awake anyhow.
  [[maybe_unused]] const ssize_t written = write(wake_up_.get(), &one, sizeof one);
}

void EventLoop::run_posted() {
  std::vector<Callback> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(posted_);
  }
  for (const Callback& task : tasks) task();
}

core::Status EventLoop::run() {
  std::array<epoll_event, 16> events{};
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return {};
    }
    const int count = epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (count < 0 && errno != EINTR) return core::errno_error(errno, "epoll_wait");
    for (int i = 0; i < count; ++i) callbacks_.at(events[static_cast<std::size_t>(i)].data.fd)();
  }
}

void EventLoop::stop() {
  post([this] {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  });
}

}  // namespace rdmadiag::daemon
