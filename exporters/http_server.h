// The agent's HTTP and HTTPS server: exact routes, bounded in every direction. One thread does all
// network input and output and answers what is quick, `limits.workers` threads run the other
// handlers. A slow, idle or hostile client costs one connection slot at most, and the longest
// waiting one gives way when slots run out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"
#include "exporters/http_message.h"

namespace rdmadiag::exporters {

struct HttpLimits {
  std::size_t connections = 256;
  std::size_t connections_per_address = 64;  // an IPv6 /64 counts as one address
  std::size_t header_bytes = 16 * 1024;      // request line and headers together
  std::size_t body_bytes = 64 * 1024;
  std::size_t queued_requests = 64;                   // waiting for a worker; above that: 503
  std::chrono::milliseconds request_timeout{10'000};  // to send one whole request
  std::chrono::milliseconds idle_timeout{75'000};     // kept alive between two requests
  std::chrono::milliseconds send_timeout{30'000};     // to take one whole response
  unsigned workers = 2;
};

struct HttpServerOptions {
  std::vector<std::string> listen_addresses =
      {};                                    // "host:port", ":port", "[::1]:port"; port 0 = any
  std::vector<core::UniqueFd> sockets = {};  // already listening, e.g. from socket activation
  std::optional<std::filesystem::path> web_config_file = {};
  HttpLimits limits = {};
  // Told of what goes wrong while serving, e.g. a changed web config that is not usable. Called
  // from the server's thread.
  std::function<void(const core::Error&)> on_problem = {};
  // Whether a changed web config was taken; false: the former stays. Called from the same thread.
  std::function<void(bool)> on_web_config = {};
};

struct HttpServerStats {
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_rejected = 0;  // answered 503 or closed at once: every slot busy
  std::uint64_t connections_evicted = 0;   // closed to make room, or past their time
  std::uint64_t requests = 0;
  std::size_t connections_open = 0;
};

class HttpServer {
 public:
  // Returns when every socket listens. The error is one line that names the address or file.
  // `clock` outlives the server.
  [[nodiscard]] static core::Result<std::unique_ptr<HttpServer>> start(
      HttpServerOptions options, std::vector<HttpRoute> routes, const core::Clock& clock);
  // Stops accepting, closes every connection, and waits for handlers that are running.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // What is listened on, with the real ports: "127.0.0.1:10915", "[::]:10915".
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] bool uses_tls() const;
  [[nodiscard]] HttpServerStats stats() const;

 private:
  class Running;
  explicit HttpServer(std::unique_ptr<Running> running);
  std::unique_ptr<Running> running_;
};

}  // namespace rdmadiag::exporters
