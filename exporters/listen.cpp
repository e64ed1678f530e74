#include "exporters/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <memory>

namespace rdmadiag::exporters {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

std::string spelled(const ListenAddress& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return (is_v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

// An IPv4 client of an IPv6 socket shows as ::ffff:192.0.2.1.
sockaddr_storage unmapped(const sockaddr_storage& address) {
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  if (address.ss_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    return address;
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = v6.sin6_port;
  std::memcpy(&v4.sin_addr, v6.sin6_addr.s6_addr + 12, sizeof v4.sin_addr);
  sockaddr_storage out{};
  std::memcpy(&out, &v4, sizeof v4);
  return out;
}

struct Numeric {
  std::string host;
  std::string port;
};

Numeric numeric(const sockaddr_storage& address) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (getnameinfo(generic, sizeof address, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {"?", "?"};
  }
  return {host.data(), port.data()};
}

core::Result<core::UniqueFd> bind_and_listen(const addrinfo& address, const std::string& name) {
  core::UniqueFd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  const int off = 0;
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) {
    return core::errno_error(errno, "opening a socket for " + name);
  }
  if (address.ai_family == AF_INET6) {
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  }
  if (bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0 ||
      listen(socket.get(), SOMAXCONN) != 0) {
    return core::errno_error(errno, "listening on " + name);
  }
  return socket;
}

core::Result<AddressList> resolve(const ListenAddress& address, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int rc = getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), port.c_str(),
                             &hints, &found);
  if (rc != 0) {
    return core::fail("listening on " + spelled(address) + ": " + gai_strerror(rc));
  }
  return AddressList(found, &freeaddrinfo);
}

}  // namespace

core::Result<ListenAddress> parse_listen_address(std::string_view text) {
  const auto bad = [&](const char* why) {
    return core::fail("bad listen address \"" + std::string(text) + "\": " + why);
  };
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) {
    return bad("want host:port or :port");
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    if (host.find(':') == host.npos) {
      return bad("brackets are for IPv6 addresses");
    }
  } else if (host.find_first_of("[]:") != host.npos) {
    return bad("an IPv6 address goes in brackets, as in [::1]:10915");
  }
  if (host.find('\0') != host.npos || host.size() > NI_MAXHOST) {
    return bad("not a host name");
  }
  ListenAddress address{std::string(host), 0};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc{} || end != port.data() + port.size()) {
    return bad("the port is a number from 0 to 65535");
  }
  return address;
}

core::Result<core::UniqueFd> open_listener(const ListenAddress& address) {
  const std::string name = spelled(address);
  if (!address.host.empty()) {
    auto found = resolve(address, AF_UNSPEC);
    if (!found) {
      return tl::make_unexpected(std::move(found.error()));
    }
    const addrinfo* chosen = found->get();
    for (const addrinfo* one = chosen; one != nullptr; one = one->ai_next) {
      if (one->ai_family == AF_INET) {
        chosen = one;
        break;
      }
    }
    return bind_and_listen(*chosen, name);
  }
  for (const int family : {AF_INET6, AF_INET}) {
    auto found = resolve(address, family);
    if (!found) {
      continue;
    }
    auto socket = bind_and_listen(**found, name);
    // Without IPv6 in this kernel or network namespace, IPv4 alone is every address there is.
    const int error = socket ? 0 : socket.error().code.value();
    if (socket || family == AF_INET || (error != EAFNOSUPPORT && error != EADDRNOTAVAIL)) {
      return socket;
    }
  }
  return core::fail("listening on " + name + ": no address family is available");
}

core::Status adopt_listener(const core::UniqueFd& socket) {
  int type = 0;
  int listening = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
      getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0) {
    return core::errno_error(errno, "taking over descriptor " + std::to_string(socket.get()));
  }
  if (type != SOCK_STREAM || listening == 0) {
    return core::fail("descriptor " + std::to_string(socket.get()) +
                      " is not a listening stream socket");
  }
  const int flags = fcntl(socket.get(), F_GETFL);
  if (flags < 0 || fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
    return core::errno_error(errno, "making a listening socket non-blocking");
  }
  return {};
}

std::string listener_name(const core::UniqueFd& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return "?";
  }
  if (address.ss_family == AF_UNIX) {
    sockaddr_un local{};
    std::memcpy(&local, &address, sizeof local);
    const std::size_t room = size - offsetof(sockaddr_un, sun_path);
    return {local.sun_path, strnlen(local.sun_path, std::min(room, sizeof local.sun_path))};
  }
  const Numeric name = numeric(address);
  const bool is_v6 = address.ss_family == AF_INET6;
  return (is_v6 ? "[" + name.host + "]" : name.host) + ":" + name.port;
}

std::string peer_name(const sockaddr_storage& address) {
  const sockaddr_storage plain = unmapped(address);
  return plain.ss_family == AF_INET || plain.ss_family == AF_INET6 ? numeric(plain).host : "unix";
}

std::string peer_group(const sockaddr_storage& address) {
  const sockaddr_storage plain = unmapped(address);
  if (plain.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &plain, sizeof v4);
    return {reinterpret_cast<const char*>(&v4.sin_addr), sizeof v4.sin_addr};
  }
  if (plain.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &plain, sizeof v6);
    return {reinterpret_cast<const char*>(v6.sin6_addr.s6_addr), 8};
  }
  return {};
}

}  // namespace rdmadiag::exporters
