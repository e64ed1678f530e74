// libmicrohttpd, driven from our own event loop: HTTP on sockets that somebody else accepted. Every
// call and every hook happens on the one network thread.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/core/result.h"
#include "agent/core/unique_fd.h"
#include "exporters/connection_table.h"
#include "exporters/http_message.h"
#include "exporters/tls_context.h"

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_Response;

namespace rdmadiag::exporters {

// One request on its way through the server. Between on_request and complete() a worker may use the
// request; everything else belongs to the network thread.
struct HttpExchange {
  HttpRequest request;
  std::string method;
  std::optional<HttpResponse> response;
  bool finished = false;  // the response has its headers and compression already

  // The engine's own bookkeeping.
  MHD_Connection* connection = nullptr;
  int fd = -1;
  bool headers_seen = false;
  bool body_too_large = false;
};

class HttpEngine {
 public:
  struct Limits {
    std::size_t connections = 0;
    std::size_t header_bytes = 0;
    std::size_t body_bytes = 0;
  };

  struct Hooks {
    std::function<void(int fd, ConnectionPhase phase)> on_phase;
    std::function<void(int fd)> on_closed;  // just before the descriptor is closed
    // A whole request is there. Either sets the response at once, or sees to it that complete() is
    // called later.
    std::function<void(const std::shared_ptr<HttpExchange>&)> on_request;
    // Every response passes here last, also those to requests that were refused early.
    std::function<void(HttpExchange&)> before_sending;
    // What the next TLS connection is set up with.
    std::function<std::shared_ptr<const TlsContext>()> next_tls;
  };

  // Speaks TLS when `tls` is given, and then on every connection.
  [[nodiscard]] static core::Result<std::unique_ptr<HttpEngine>> make(
      Limits limits, Hooks hooks, std::shared_ptr<const TlsContext> tls);
  ~HttpEngine();
  HttpEngine(const HttpEngine&) = delete;
  HttpEngine& operator=(const HttpEngine&) = delete;

  // Readable when run() has something to do.
  [[nodiscard]] int poll_fd() const;
  // How long run() may be put off; empty when only for poll_fd.
  [[nodiscard]] std::optional<std::chrono::milliseconds> timeout() const;
  void run();
  // False when the connection could not be taken on; it is closed then, without on_closed.
  [[nodiscard]] bool add(core::UniqueFd socket, const sockaddr_storage& address, socklen_t size);
  // The response, with its headers and compression, to an exchange that on_request left without.
  void complete(const std::shared_ptr<HttpExchange>& exchange, HttpResponse response);

 private:
  friend struct HttpEngineCallbacks;
  HttpEngine(Limits limits, Hooks hooks, std::shared_ptr<const TlsContext> tls)
      : limits_(limits), hooks_(std::move(hooks)), first_tls_(std::move(tls)) {}

  void read_head(HttpExchange& exchange, const char* method);
  void append_body(HttpExchange& exchange, const char* bytes, std::size_t size);
  [[nodiscard]] bool dispatch(const std::shared_ptr<HttpExchange>& exchange);
  [[nodiscard]] bool send(HttpExchange& exchange);

  Limits limits_;
  Hooks hooks_;
  std::shared_ptr<const TlsContext> first_tls_;  // the library keeps pointers into it
  MHD_Daemon* daemon_ = nullptr;
  std::set<std::shared_ptr<HttpExchange>> suspended_;
};

}  // namespace rdmadiag::exporters
