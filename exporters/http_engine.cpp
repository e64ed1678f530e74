#include "exporters/http_engine.h"

#include <microhttpd.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "exporters/http_target.h"
#include "exporters/listen.h"

namespace rdmadiag::exporters {
namespace {

using ExchangeHandle = std::shared_ptr<HttpExchange>;
using TlsHandle = std::shared_ptr<const TlsContext>;

// Room for connections that were told to close but are not gone yet, and for response headers.
constexpr unsigned kClosingSlack = 128;
constexpr std::size_t kResponseHeaderRoom = 4096;

int descriptor_of(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

std::string peer_of(MHD_Connection* connection) {
  const sockaddr* address =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  sockaddr_storage copy{};
  if (address->sa_family == AF_INET) {
    std::memcpy(&copy, address, sizeof(sockaddr_in));
  } else if (address->sa_family == AF_INET6) {
    std::memcpy(&copy, address, sizeof(sockaddr_in6));
  }
  return peer_name(copy);
}

gnutls_session_int* session_of(MHD_Connection* connection) {
  const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == nullptr ? nullptr : static_cast<gnutls_session_int*>(info->tls_session);
}

bool declares_more_than(const HttpRequest& request, std::size_t limit) {
  const auto length = request.header("Content-Length");
  std::size_t value = 0;
  return length && (std::from_chars(length->data(), length->data() + length->size(), value).ec ==
                        std::errc::result_out_of_range ||
                    value > limit);
}

MHD_Result take_header(void* fields, MHD_ValueKind /*kind*/, const char* key, std::size_t key_size,
                       const char* value, std::size_t value_size) {
  static_cast<HttpFields*>(fields)->emplace_back(
      std::string(key, key_size),
      value == nullptr ? std::string() : std::string(value, value_size));
  return MHD_YES;
}

MHD_Response* make_response(const HttpResponse& response) {
  auto body = response.body ? response.body : std::make_shared<const std::string>();
  auto* keeper = new std::shared_ptr<const std::string>(std::move(body));
  MHD_Response* made = MHD_create_response_from_buffer_with_free_callback_cls(
      (*keeper)->size(), const_cast<char*>((*keeper)->data()),
      [](void* held) { delete static_cast<std::shared_ptr<const std::string>*>(held); }, keeper);
  if (made == nullptr) {
    delete keeper;
    return nullptr;
  }
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(made, name.c_str(), value.c_str());
  }
  return made;
}

}  // namespace

struct HttpEngineCallbacks {
  static void* begin(void* /*engine*/, const char* target, MHD_Connection* connection) {
    auto exchange = std::make_shared<HttpExchange>();
    exchange->connection = connection;
    exchange->fd = descriptor_of(connection);
    auto parsed = parse_http_target(target);
    if (parsed) {
      exchange->request.path = std::move(parsed->path);
      exchange->request.query = std::move(parsed->query);
    } else {
      exchange->response = text_response(400, "400 " + parsed.error().what + "\n");
    }
    return new ExchangeHandle(std::move(exchange));
  }

  // Called once when the headers are there, then for each piece of the body, then once at its end,
  // and again when a suspended connection is resumed.
  static MHD_Result handle(void* self, MHD_Connection* /*connection*/, const char* /*url*/,
                           const char* method, const char* /*version*/, const char* upload,
                           std::size_t* upload_size, void** context) {
    auto& engine = *static_cast<HttpEngine*>(self);
    const ExchangeHandle& exchange = *static_cast<ExchangeHandle*>(*context);
    bool ok = true;
    if (!exchange->headers_seen) {
      engine.read_head(*exchange, method);
      ok = !exchange->response || engine.send(*exchange);
    } else if (*upload_size > 0) {
      engine.append_body(*exchange, upload, std::exchange(*upload_size, 0));
    } else if (exchange->response) {
      ok = engine.send(*exchange);
    } else {
      ok = engine.dispatch(exchange);
    }
    return ok ? MHD_YES : MHD_NO;
  }

  static void end(void* self, MHD_Connection* connection, void** context,
                  MHD_RequestTerminationCode /*reason*/) {
    delete static_cast<ExchangeHandle*>(*context);
    *context = nullptr;
    static_cast<HttpEngine*>(self)->hooks_.on_phase(descriptor_of(connection),
                                                    ConnectionPhase::kIdle);
  }

  // The TLS context a connection began with is kept alive by its socket context until it closes.
  static void connection_changed(void* self, MHD_Connection* connection, void** context,
                                 MHD_ConnectionNotificationCode what) {
    auto& engine = *static_cast<HttpEngine*>(self);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
      delete static_cast<TlsHandle*>(*context);
      *context = nullptr;
      engine.hooks_.on_closed(descriptor_of(connection));
    } else if (engine.first_tls_) {
      auto tls = std::make_unique<TlsHandle>(engine.hooks_.next_tls());
      (*tls)->attach(session_of(connection));
      *context = tls.release();
    }
  }

  // Targets are decoded by parse_http_target; the library's decoding would only hide bad ones.
  static std::size_t keep_escapes(void* /*cls*/, MHD_Connection* /*connection*/, char* text) {
    return std::strlen(text);
  }
};

core::Result<std::unique_ptr<HttpEngine>> HttpEngine::make(Limits limits, Hooks hooks,
                                                           TlsHandle tls) {
  std::unique_ptr<HttpEngine> engine(new HttpEngine(limits, std::move(hooks), std::move(tls)));
  using Calls = HttpEngineCallbacks;
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME;
  std::vector<MHD_OptionItem> tls_options;
  if (engine->first_tls_) {
    flags |= MHD_USE_TLS;
    const TlsServerConfig& config = engine->first_tls_->config();
    tls_options = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, const_cast<char*>(config.certificate.text.c_str())},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, const_cast<char*>(config.key.text.c_str())}};
  }
  tls_options.push_back({MHD_OPTION_END, 0, nullptr});
  engine->daemon_ = MHD_start_daemon(
      flags, 0, nullptr, nullptr, &Calls::handle, engine.get(),  //
      MHD_OPTION_URI_LOG_CALLBACK, &Calls::begin, engine.get(),  //
      MHD_OPTION_NOTIFY_COMPLETED, &Calls::end, engine.get(),    //
      MHD_OPTION_NOTIFY_CONNECTION, &Calls::connection_changed, engine.get(),
      MHD_OPTION_UNESCAPE_CALLBACK, &Calls::keep_escapes, nullptr,  //
      MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(limits.connections) + kClosingSlack,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.header_bytes + kResponseHeaderRoom,
      MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,  //
      MHD_OPTION_ARRAY, tls_options.data(), MHD_OPTION_END);
  if (engine->daemon_ == nullptr) {
    return core::fail("starting the HTTP library failed");
  }
  return engine;
}

HttpEngine::~HttpEngine() {
  if (daemon_ == nullptr) {
    return;
  }
  // The library aborts when it is stopped with a connection suspended.
  for (const ExchangeHandle& exchange : std::exchange(suspended_, {})) {
    MHD_resume_connection(exchange->connection);
  }
  MHD_stop_daemon(daemon_);
}

int HttpEngine::poll_fd() const {
  return MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

std::optional<std::chrono::milliseconds> HttpEngine::timeout() const {
  MHD_UNSIGNED_LONG_LONG wait = 0;
  if (MHD_get_timeout(daemon_, &wait) == MHD_NO) {
    return std::nullopt;
  }
  return std::chrono::milliseconds(std::min<MHD_UNSIGNED_LONG_LONG>(wait, 1000));
}

void HttpEngine::run() { MHD_run(daemon_); }

bool HttpEngine::add(core::UniqueFd socket, const sockaddr_storage& address, socklen_t size) {
  return MHD_add_connection(daemon_, socket.release(), reinterpret_cast<const sockaddr*>(&address),
                            size) == MHD_YES;
}

void HttpEngine::complete(const ExchangeHandle& exchange, HttpResponse response) {
  exchange->response = std::move(response);
  exchange->finished = true;
  if (suspended_.erase(exchange) != 0) {
    MHD_resume_connection(exchange->connection);
  }
}

void HttpEngine::read_head(HttpExchange& exchange, const char* method) {
  exchange.headers_seen = true;
  exchange.method = method;
  exchange.request.peer_address = peer_of(exchange.connection);
  if (first_tls_) {
    const auto* info =
        MHD_get_connection_info(exchange.connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const auto& tls = *static_cast<const TlsHandle*>(info->socket_context);
    exchange.request.client_subject = tls->client_subject(session_of(exchange.connection));
  }
  MHD_get_connection_values_n(exchange.connection, MHD_HEADER_KIND, &take_header,
                              &exchange.request.headers);
  if (!exchange.response && declares_more_than(exchange.request, limits_.body_bytes)) {
    exchange.response = text_response(413, "413 request body too large\n");
  }
}

void HttpEngine::append_body(HttpExchange& exchange, const char* bytes, std::size_t size) {
  std::string& body = exchange.request.body;
  // The library takes a response only before or after the body: read on, but keep nothing.
  exchange.body_too_large = exchange.body_too_large || size > limits_.body_bytes - body.size();
  if (exchange.body_too_large) {
    body.clear();
  } else {
    body.append(bytes, size);
  }
}

bool HttpEngine::dispatch(const ExchangeHandle& exchange) {
  if (suspended_.contains(exchange)) {
    return false;
  }
  if (exchange->body_too_large) {
    exchange->response = text_response(413, "413 request body too large\n");
  } else {
    hooks_.on_request(exchange);
  }
  if (exchange->response) {
    return send(*exchange);
  }
  hooks_.on_phase(exchange->fd, ConnectionPhase::kHandling);
  MHD_suspend_connection(exchange->connection);
  suspended_.insert(exchange);
  return true;
}

bool HttpEngine::send(HttpExchange& exchange) {
  hooks_.before_sending(exchange);
  MHD_Response* response = make_response(*exchange.response);
  if (response == nullptr) {
    return false;
  }
  hooks_.on_phase(exchange.fd, ConnectionPhase::kSending);
  const MHD_Result queued = MHD_queue_response(
      exchange.connection, static_cast<unsigned>(exchange.response->status), response);
  MHD_destroy_response(response);
  return queued == MHD_YES;
}

}  // namespace rdmadiag::exporters
