#include "tests/exporters/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

RawClient::RawClient(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const auto port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  const bool is_v6 = address.starts_with('[');
  socket_.reset(socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{30, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (is_v6) {
    sockaddr_in6 target{};
    target.sin6_family = AF_INET6;
    target.sin6_port = port;
    inet_pton(AF_INET6, address.substr(1, colon - 2).c_str(), &target.sin6_addr);
    connected_ = connect(socket_.get(), reinterpret_cast<sockaddr*>(&target), sizeof target) == 0;
  } else {
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = port;
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &target.sin_addr);
    connected_ = connect(socket_.get(), reinterpret_cast<sockaddr*>(&target), sizeof target) == 0;
  }
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string RawClient::receive(std::size_t enough) {
  std::string got;
  std::array<char, 65536> chunk{};
  while (got.size() < enough) {
    const std::size_t want = std::min(chunk.size(), enough - got.size());
    const ssize_t count = recv(socket_.get(), chunk.data(), want, 0);
    if (count <= 0) {
      break;
    }
    got.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return got;
}

bool RawClient::is_closed_by_server() {
  std::array<char, 65536> chunk{};
  while (true) {
    const ssize_t count = recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (count == 0 || (count < 0 && errno == ECONNRESET)) {
      return true;
    }
    if (count < 0) {
      return false;
    }
  }
}

void RawClient::finish_sending() { shutdown(socket_.get(), SHUT_WR); }
