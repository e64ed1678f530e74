#include "exporters/http_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "exporters/listen.h"

namespace rdmadiag::exporters {
namespace {

// Written straight to a socket that gets no connection slot, so it cannot be a library's response.
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Type: text/plain\r\nContent-Length: 13\r\n\r\n503 too busy\n";

// What a round may spend on quick answers; later requests are the workers'.
constexpr std::chrono::milliseconds kQuickTime{5};

ConnectionTable::Limits table_limits(const HttpLimits& limits) {
  return {.total = limits.connections,
          .per_group = limits.connections_per_address,
          .request = limits.request_timeout,
          .idle = limits.idle_timeout,
          .send = limits.send_timeout};
}

void refuse(const core::UniqueFd& socket, bool in_plain_text) {
  std::array<char, 4096> sink{};
  // What was received and not read would turn the close into a reset, and the client would not see
  // the answer.
  (void)recv(socket.get(), sink.data(), sink.size(), MSG_DONTWAIT);
  if (!in_plain_text) {
    return;
  }
  (void)send(socket.get(), kBusy.data(), kBusy.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(socket.get(), SHUT_WR);
}

HttpResponse busy_response() {
  HttpResponse response = text_response(503, "503 too busy\n");
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

HttpLoop::HttpLoop(HttpServerOptions options, std::vector<HttpRoute> routes,
                   const core::Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      responder_(std::move(routes), options_.on_problem),
      table_(table_limits(options_.limits)) {}

HttpLoop::~HttpLoop() {
  workers_.reset();
  engine_.reset();
}

core::Result<std::unique_ptr<HttpLoop>> HttpLoop::make(HttpServerOptions options,
                                                       std::vector<HttpRoute> routes,
                                                       const core::Clock& clock) {
  std::unique_ptr<HttpLoop> loop(new HttpLoop(std::move(options), std::move(routes), clock));
  if (auto ready = loop->prepare(); !ready) {
    return tl::make_unexpected(std::move(ready.error()));
  }
  return loop;
}

core::Status HttpLoop::prepare() {
  epoll_.reset(epoll_create1(EPOLL_CLOEXEC));
  wakeup_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !wakeup_) {
    return core::errno_error(errno, "preparing the HTTP server");
  }
  const auto on_reload = [this](const core::Status& status) {
    if (options_.on_web_config) {
      options_.on_web_config(status.has_value());
    }
    if (!status && options_.on_problem) {
      options_.on_problem(status.error());
    }
  };
  auto watch = WebConfigWatch::open(options_.web_config_file, clock_, on_reload);
  if (!watch) {
    return tl::make_unexpected(std::move(watch.error()));
  }
  web_config_ = std::move(*watch);
  uses_tls_ = web_config_->current().tls != nullptr;
  auto ok = acceptor_.open(options_.listen_addresses, std::move(options_.sockets), epoll_.get());
  if (!ok) {
    return ok;
  }
  return make_engine();
}

core::Status HttpLoop::make_engine() {
  const HttpLimits& limits = options_.limits;
  HttpEngine::Hooks hooks;
  hooks.on_phase = [this](int fd, ConnectionPhase phase) {
    table_.enter(fd, phase, clock_.steady());
  };
  hooks.on_closed = [this](int fd) { table_.remove(fd); };
  hooks.on_request = [this](const auto& exchange) { dispatch(exchange); };
  hooks.before_sending = [this](HttpExchange& exchange) {
    if (!exchange.finished) {
      HttpResponder::finish(exchange.request, web_config_->current().config->headers,
                            *exchange.response);
    }
  };
  hooks.next_tls = [this] { return web_config_->current().tls; };
  auto engine = HttpEngine::make({limits.connections, limits.header_bytes, limits.body_bytes},
                                 std::move(hooks), web_config_->current().tls);
  if (!engine) {
    return tl::make_unexpected(std::move(engine.error()));
  }
  engine_ = std::move(*engine);
  for (const int fd : {wakeup_.get(), engine_->poll_fd()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
      return core::errno_error(errno, "preparing the HTTP server");
    }
  }
  return {};
}

void HttpLoop::run() {
  workers_ =
      std::make_unique<HttpWorkers>(options_.limits.workers, options_.limits.queued_requests);
  std::array<epoll_event, 16> events{};
  while (!stopping_) {
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(), wait_milliseconds());
    const std::span ready(events.data(), static_cast<std::size_t>(std::max(count, 0)));
    if (std::any_of(ready.begin(), ready.end(),
                    [this](const epoll_event& event) { return event.data.fd == wakeup_.get(); })) {
      collect_answers();
    }
    quick_time_ = {};
    engine_->run();
    for (const int fd : table_.expire(clock_.steady())) {
      evict(fd);
    }
    if (acceptor_.retry_at() && clock_.steady() >= *acceptor_.retry_at()) {
      acceptor_.resume();
    }
    const std::uint64_t accepted_before = accepted_;
    for (const epoll_event& event : ready) {
      accept_from(event.data.fd);
    }
    if (accepted_ != accepted_before) {
      engine_->run();
    }
    open_ = table_.size();
  }
  workers_.reset();
}

void HttpLoop::stop() {
  stopping_ = true;
  wake();
}

void HttpLoop::wake() {
  const std::uint64_t one = 1;
  (void)!write(wakeup_.get(), &one, sizeof one);
}

int HttpLoop::wait_milliseconds() const {
  std::optional<core::SteadyTime> until = table_.next_deadline();
  if (const auto retry = acceptor_.retry_at(); retry && (!until || *retry < *until)) {
    until = retry;
  }
  std::optional<std::chrono::milliseconds> wait = engine_->timeout();
  if (until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - clock_.steady());
    wait = std::min(wait.value_or(left), left);
  }
  constexpr std::chrono::milliseconds kLongest{60'000};
  return wait ? static_cast<int>(std::clamp(*wait, std::chrono::milliseconds(0), kLongest).count())
              : -1;
}

void HttpLoop::accept_from(int listener) {
  const auto on_connection = [this](core::UniqueFd socket, const sockaddr_storage& address,
                                    socklen_t size) { admit(std::move(socket), address, size); };
  if (!acceptor_.accept_from(listener, on_connection, clock_.steady())) {
    if (const auto fd = table_.evict_any(clock_.steady())) {
      evict(*fd);
    }
  }
}

void HttpLoop::admit(core::UniqueFd socket, const sockaddr_storage& address, socklen_t size) {
  std::string group = peer_group(address);
  const auto admission = table_.admit(group, clock_.steady());
  if (admission.evicted) {
    evict(*admission.evicted);
  }
  if (!admission.admitted) {
    ++rejected_;
    refuse(socket, !uses_tls_);
    return;
  }
  ++accepted_;
  const int fd = socket.get();
  table_.add(fd, std::move(group), clock_.steady());
  if (!engine_->add(std::move(socket), address, size)) {
    table_.remove(fd);
    ++rejected_;
  }
}

// The library notices the shutdown as an end of file and closes the descriptor, which is its own.
void HttpLoop::evict(int fd) {
  ++evicted_;
  shutdown(fd, SHUT_RDWR);
}

void HttpLoop::dispatch(const std::shared_ptr<HttpExchange>& exchange) {
  ++requests_;
  const WebConfig& config = *web_config_->current().config;
  const auto verdict = gate_.admit(config, exchange->request, clock_.steady(), exchange->response);
  if (verdict == HttpGate::Verdict::kServe && quick_time_ < kQuickTime) {
    const core::SteadyTime started = clock_.steady();
    exchange->response = responder_.respond_quickly(exchange->method, exchange->request);
    quick_time_ += clock_.steady() - started;
  }
  if (verdict != HttpGate::Verdict::kRefuse && !exchange->response && !submit(verdict, exchange)) {
    exchange->response = busy_response();
  }
}

bool HttpLoop::submit(HttpGate::Verdict verdict, const std::shared_ptr<HttpExchange>& exchange) {
  const auto lane =
      verdict == HttpGate::Verdict::kServe ? HttpWorkers::Lane::kNormal : HttpWorkers::Lane::kSlow;
  return workers_->submit(lane, [this, verdict, exchange, config = web_config_->current().config] {
    answer(verdict, *config, exchange);
  });
}

// On a worker. The response waits beside the exchange: the network thread may not be done with it.
void HttpLoop::answer(HttpGate::Verdict verdict, const WebConfig& config,
                      const std::shared_ptr<HttpExchange>& exchange) {
  std::optional<HttpResponse> response;
  if (verdict == HttpGate::Verdict::kCheckPassword) {
    response = gate_.check_password(config, exchange->request);
  }
  if (!response) {
    response = responder_.respond(exchange->method, exchange->request);
  }
  HttpResponder::finish(exchange->request, config.headers, *response);
  {
    const std::scoped_lock lock(answered_mutex_);
    answered_.push_back({exchange, std::move(*response)});
  }
  wake();
}

void HttpLoop::collect_answers() {
  std::uint64_t count = 0;
  (void)!read(wakeup_.get(), &count, sizeof count);
  std::vector<Answer> answered;
  {
    const std::scoped_lock lock(answered_mutex_);
    answered.swap(answered_);
  }
  for (Answer& answer : answered) {
    engine_->complete(answer.exchange, std::move(answer.response));
  }
}

HttpServerStats HttpLoop::stats() const {
  return {.connections_accepted = accepted_,
          .connections_rejected = rejected_,
          .connections_evicted = evicted_,
          .requests = requests_,
          .connections_open = open_};
}

}  // namespace rdmadiag::exporters
