#include "agent/daemon/service.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace rdmadiag::daemon {
namespace {

constexpr int kFirstInherited = 3;  // SD_LISTEN_FDS_START
constexpr std::uint64_t kMostInherited = 64;

std::optional<std::uint64_t> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

// "/run/…" or, with a leading @, a name without a file.
void notify(std::string_view state) {
  const char* path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  const std::size_t length = path == nullptr ? 0 : std::strlen(path);
  if (length < 2 || length >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = '\0';
  const core::UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length);
  // A manager that does not listen is its own fault; there is nobody to tell.
  static_cast<void>(sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr*>(&address), size));
}

bool is_listening_stream(int fd) {
  int type = 0;
  int listening = 0;
  socklen_t size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) return false;
  size = sizeof listening;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening != 0;
}

}  // namespace

void notify_ready(const std::string& status) { notify("READY=1\nSTATUS=" + status); }

void notify_reloading(core::SteadyTime now) {
  // Type=notify-reload wants CLOCK_MONOTONIC, which is what the steady clock is on Linux.
  const auto since_boot =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(since_boot.count()));
}

void notify_stopping() { notify("STOPPING=1"); }

void notify_alive() { notify("WATCHDOG=1"); }

std::optional<std::chrono::nanoseconds> watchdog_period() {
  const auto process = number_of("WATCHDOG_PID");
  const auto microseconds = number_of("WATCHDOG_USEC");
  const bool ours = !process || *process == static_cast<std::uint64_t>(getpid());
  if (!ours || !microseconds || *microseconds < 3) return std::nullopt;
  return std::chrono::microseconds(*microseconds / 3);
}

core::Result<std::vector<core::UniqueFd>> inherited_sockets() {
  const auto process = number_of("LISTEN_PID");
  const auto count = number_of("LISTEN_FDS");
  std::vector<core::UniqueFd> sockets;
  if (!process || *process != static_cast<std::uint64_t>(getpid()) || !count) return sockets;
  if (*count > kMostInherited) return core::fail("LISTEN_FDS says " + std::to_string(*count));
  for (int fd = kFirstInherited; fd < kFirstInherited + static_cast<int>(*count); ++fd) {
    if (!is_listening_stream(fd))
      return core::fail("inherited descriptor " + std::to_string(fd) +
                        " is not a listening stream socket");
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    sockets.emplace_back(fd);
  }
  return sockets;
}

}  // namespace rdmadiag::daemon
