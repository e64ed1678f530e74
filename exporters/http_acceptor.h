// The listening sockets and taking connections from them. Used by the network thread only.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::exporters {

class HttpAcceptor {
 public:
  using OnConnection =
      std::function<void(core::UniqueFd socket, const sockaddr_storage& address, socklen_t size)>;

  // Opens the addresses, takes over the sockets, and has `epoll` watch them all.
  [[nodiscard]] core::Status open(const std::vector<std::string>& addresses,
                                  std::vector<core::UniqueFd> sockets, int epoll);

  // Takes what waits at `listener`; false when descriptors ran out. Then nothing is taken until
  // resume() after retry_at(), since the listeners would stay readable and spin the loop.
  [[nodiscard]] bool accept_from(int listener, const OnConnection& on_connection,
                                 core::SteadyTime now);
  [[nodiscard]] std::optional<core::SteadyTime> retry_at() const { return retry_at_; }
  void resume();

  [[nodiscard]] std::vector<std::string> addresses() const;

 private:
  [[nodiscard]] core::Status watch(int fd) const;

  std::vector<core::UniqueFd> listeners_;
  int epoll_ = -1;
  std::optional<core::SteadyTime> retry_at_;
};

}  // namespace rdmadiag::exporters
