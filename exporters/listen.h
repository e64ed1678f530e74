// Listening sockets: from an address as node_exporter's flag spells it, or handed over open.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/core/result.h"
#include "agent/core/unique_fd.h"

namespace rdmadiag::exporters {

struct ListenAddress {
  std::string host;  // without brackets; empty means every address, IPv6 and IPv4
  std::uint16_t port = 0;
};

[[nodiscard]] core::Result<ListenAddress> parse_listen_address(std::string_view text);

// Resolves a host name when there is one; of several results IPv4 comes first.
[[nodiscard]] core::Result<core::UniqueFd> open_listener(const ListenAddress& address);

// Checks a socket that somebody else opened: it must be a stream socket that listens already.
[[nodiscard]] core::Status adopt_listener(const core::UniqueFd& socket);

// "127.0.0.1:10915", "[::]:10915", or the path of a Unix socket.
[[nodiscard]] std::string listener_name(const core::UniqueFd& socket);

// "192.0.2.1" also for an IPv4 client of an IPv6 socket; "unix" without a network address.
[[nodiscard]] std::string peer_name(const sockaddr_storage& address);

// What one client is for the per-address limit: an IPv4 address or an IPv6 /64. Empty for a Unix
// socket, which has no such limit.
[[nodiscard]] std::string peer_group(const sockaddr_storage& address);

}  // namespace rdmadiag::exporters
