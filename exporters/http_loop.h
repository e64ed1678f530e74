// The network thread of the HTTP server: accepts, drives the engine, answers what is quick, hands
// other requests to workers and closes what is past its time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/unique_fd.h"
#include "exporters/connection_table.h"
#include "exporters/http_acceptor.h"
#include "exporters/http_engine.h"
#include "exporters/http_gate.h"
#include "exporters/http_responder.h"
#include "exporters/http_server.h"
#include "exporters/http_workers.h"
#include "exporters/web_config_watch.h"

namespace rdmadiag::exporters {

class HttpLoop {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<HttpLoop>> make(HttpServerOptions options,
                                                                    std::vector<HttpRoute> routes,
                                                                    const core::Clock& clock);
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  // The body of the network thread; returns after stop().
  void run();
  void stop();  // any thread

  [[nodiscard]] std::vector<std::string> addresses() const { return acceptor_.addresses(); }
  [[nodiscard]] bool uses_tls() const { return uses_tls_; }
  [[nodiscard]] HttpServerStats stats() const;  // any thread

 private:
  struct Answer {
    std::shared_ptr<HttpExchange> exchange;
    HttpResponse response;
  };

  HttpLoop(HttpServerOptions options, std::vector<HttpRoute> routes, const core::Clock& clock);

  [[nodiscard]] core::Status prepare();
  [[nodiscard]] core::Status make_engine();
  [[nodiscard]] int wait_milliseconds() const;
  void wake();
  void accept_from(int listener);
  void admit(core::UniqueFd socket, const sockaddr_storage& address, socklen_t size);
  void evict(int fd);
  void dispatch(const std::shared_ptr<HttpExchange>& exchange);
  [[nodiscard]] bool submit(HttpGate::Verdict verdict,
                            const std::shared_ptr<HttpExchange>& exchange);
  void answer(HttpGate::Verdict verdict, const WebConfig& config,
              const std::shared_ptr<HttpExchange>& exchange);
  void collect_answers();

  HttpServerOptions options_;
  const core::Clock& clock_;
  HttpResponder responder_;
  ConnectionTable table_;
  HttpGate gate_;
  std::optional<WebConfigWatch> web_config_;  // always there once made
  bool uses_tls_ = false;
  HttpAcceptor acceptor_;
  core::UniqueFd epoll_;
  core::UniqueFd wakeup_;
  std::chrono::nanoseconds quick_time_{0};  // spent on quick answers in this round

  std::atomic<bool> stopping_ = false;
  std::mutex answered_mutex_;
  std::vector<Answer> answered_;

  std::atomic<std::uint64_t> accepted_ = 0;
  std::atomic<std::uint64_t> rejected_ = 0;
  std::atomic<std::uint64_t> evicted_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::size_t> open_ = 0;

  std::unique_ptr<HttpEngine> engine_;
  std::unique_ptr<HttpWorkers> workers_;  // last: its threads use all of the above
};

}  // namespace rdmadiag::exporters
