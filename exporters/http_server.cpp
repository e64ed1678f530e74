#include "exporters/http_server.h"

#include <csignal>
#include <thread>
#include <utility>

#include "exporters/http_loop.h"

namespace rdmadiag::exporters {
namespace {

// Threads inherit the mask of the one that makes them. Ours take no signals: those belong to main,
// and a peer that hangs up must not raise SIGPIPE.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

class HttpServer::Running {
 public:
  explicit Running(std::unique_ptr<HttpLoop> loop) : loop_(std::move(loop)) {
    const SignalsBlocked blocked;
    thread_ = std::jthread([this] { loop_->run(); });
  }
  ~Running() { loop_->stop(); }

  [[nodiscard]] const HttpLoop& loop() const { return *loop_; }

 private:
  std::unique_ptr<HttpLoop> loop_;
  std::jthread thread_;  // last: joined before the loop goes
};

HttpServer::HttpServer(std::unique_ptr<Running> running) : running_(std::move(running)) {}

HttpServer::~HttpServer() = default;

core::Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options,
                                                            std::vector<HttpRoute> routes,
                                                            const core::Clock& clock) {
  auto loop = HttpLoop::make(std::move(options), std::move(routes), clock);
  if (!loop) {
    return tl::make_unexpected(std::move(loop.error()));
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::make_unique<Running>(std::move(*loop))));
}

std::vector<std::string> HttpServer::addresses() const { return running_->loop().addresses(); }

bool HttpServer::uses_tls() const { return running_->loop().uses_tls(); }

HttpServerStats HttpServer::stats() const { return running_->loop().stats(); }

}  // namespace rdmadiag::exporters
