#include "exporters/http_acceptor.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "exporters/listen.h"

namespace rdmadiag::exporters {
namespace {

constexpr int kBurst = 64;
constexpr std::chrono::milliseconds kDescriptorPause{100};

}  // namespace

core::Status HttpAcceptor::open(const std::vector<std::string>& addresses,
                                std::vector<core::UniqueFd> sockets, int epoll) {
  epoll_ = epoll;
  listeners_ = std::move(sockets);
  for (const core::UniqueFd& socket : listeners_) {
    if (auto ok = adopt_listener(socket); !ok) {
      return ok;
    }
  }
  for (const std::string& text : addresses) {
    auto socket = parse_listen_address(text).and_then(open_listener);
    if (!socket) {
      return tl::make_unexpected(std::move(socket.error()));
    }
    listeners_.push_back(std::move(*socket));
  }
  if (listeners_.empty()) {
    return core::fail("no address to listen on");
  }
  for (const core::UniqueFd& socket : listeners_) {
    if (auto ok = watch(socket.get()); !ok) {
      return ok;
    }
  }
  return {};
}

bool HttpAcceptor::accept_from(int listener, const OnConnection& on_connection,
                               core::SteadyTime now) {
  const bool is_listener = std::any_of(listeners_.begin(), listeners_.end(),
                                       [&](const auto& one) { return one.get() == listener; });
  for (int i = 0; is_listener && i < kBurst; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    core::UniqueFd socket(accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket) {
      on_connection(std::move(socket), address, size);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      retry_at_ = now + kDescriptorPause;
      for (const core::UniqueFd& one : listeners_) {
        (void)epoll_ctl(epoll_, EPOLL_CTL_DEL, one.get(), nullptr);
      }
      return false;
    } else if (errno == EAGAIN) {
      break;
    }
  }
  return true;
}

void HttpAcceptor::resume() {
  retry_at_.reset();
  for (const core::UniqueFd& listener : listeners_) {
    (void)watch(listener.get());
  }
}

std::vector<std::string> HttpAcceptor::addresses() const {
  std::vector<std::string> names;
  for (const core::UniqueFd& socket : listeners_) {
    names.push_back(listener_name(socket));
  }
  return names;
}

core::Status HttpAcceptor::watch(int fd) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) {
    return core::errno_error(errno, "watching a listening socket");
  }
  return {};
}

}  // namespace rdmadiag::exporters
