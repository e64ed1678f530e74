// From a request to the response that goes out: route, method, compression, headers. No sockets.
// Const and thread-safe once built.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/result.h"
#include "exporters/http_message.h"

namespace rdmadiag::exporters {

class HttpResponder {
 public:
  // `on_problem` hears of handlers that threw; it may be called from several threads at once.
  HttpResponder(std::vector<HttpRoute> routes, std::function<void(const core::Error&)> on_problem)
      : routes_(std::move(routes)), on_problem_(std::move(on_problem)) {}

  // `method` as sent; sets request.method. 404, 405 and 403 (a form on another site posting to us)
  // never reach a handler.
  [[nodiscard]] HttpResponse respond(std::string_view method, HttpRequest& request) const;
  // By the route's quick handler; nothing where there is none, or it has no response.
  [[nodiscard]] std::optional<HttpResponse> respond_quickly(std::string_view method,
                                                            HttpRequest& request) const;

  // What every response gets on its way out: gzip when asked for and worth it, and the headers that
  // keep browsers from guessing, framing and caching. `fixed` headers win over all others.
  static void finish(const HttpRequest& request, const HttpFields& fixed, HttpResponse& response);

 private:
  template <class Handler>
  [[nodiscard]] std::optional<HttpResponse> call(const HttpRoute& route, const Handler& handler,
                                                 const HttpRequest& request) const;

  std::vector<HttpRoute> routes_;
  std::function<void(const core::Error&)> on_problem_;
};

}  // namespace rdmadiag::exporters
