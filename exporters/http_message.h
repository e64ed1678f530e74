// What a route handler sees of a request and gives back. Plain values: no HTTP library in sight, so
// handlers are tested by calling them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmadiag::exporters {

enum class HttpMethod { kGet, kPost };

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  HttpMethod method = HttpMethod::kGet;  // HEAD is shown as GET; the server drops the body
  std::string path;                      // decoded, without the query
  HttpFields query;                      // decoded, in the order sent
  HttpFields headers;
  std::string body;
  std::string peer_address;    // "192.0.2.1", "2001:db8::1", or "unix"
  std::string user;            // of basic authentication; empty without it
  std::string client_subject;  // of the verified client certificate; empty without one

  // First header of that name, letter case ignored.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  // Every value of the parameter, in order: collect[]=a&collect[]=b gives a, b.
  [[nodiscard]] std::vector<std::string_view> query_values(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;  // shared, so that one rendering serves many requests
  HttpFields headers;                       // win over the server's own of the same name
};

[[nodiscard]] HttpResponse text_response(int status, std::string text);
[[nodiscard]] HttpResponse json_response(std::string json);  // 200

// Runs on a worker thread of the server, several at a time; returns within about a second, since
// stopping the server waits for it. Exceptions become a 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Runs on the network thread, which serves nobody else meanwhile, for a few milliseconds of its
// rounds: a response that takes no longer, or nothing, and the route's handler is asked.
using QuickHttpHandler = std::function<std::optional<HttpResponse>(const HttpRequest&)>;

struct HttpRoute {
  HttpMethod method = HttpMethod::kGet;
  std::string path;  // matched exactly
  HttpHandler handler;
  QuickHttpHandler quick = {};
};

}  // namespace rdmadiag::exporters
