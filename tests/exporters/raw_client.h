// A bare TCP connection to the server under test, for what no proper client would send.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "agent/core/unique_fd.h"

class RawClient {
 public:
  // `address` is "127.0.0.1:port" or "[::1]:port".
  explicit RawClient(const std::string& address);

  [[nodiscard]] bool is_connected() const { return connected_; }
  // False when the server has closed the connection.
  bool send(std::string_view bytes);
  // What arrives until the server closes or `enough` bytes are there; waits 30 s at most.
  std::string receive(std::size_t enough = static_cast<std::size_t>(-1));
  // Whether the server closes the connection, without a byte or after some; waits 30 s at most.
  bool is_closed_by_server();
  void finish_sending();

 private:
  rdmadiag::core::UniqueFd socket_;
  bool connected_ = false;
};
