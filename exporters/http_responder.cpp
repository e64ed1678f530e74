#include "exporters/http_responder.h"

#include <strings.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>

#include "exporters/gzip.h"

namespace rdmadiag::exporters {
namespace {

// Below one packet there is nothing to save.
constexpr std::size_t kGzipFloor = 1024;

std::optional<HttpMethod> parse_method(std::string_view method) {
  if (method == "GET" || method == "HEAD") {
    return HttpMethod::kGet;
  }
  if (method == "POST") {
    return HttpMethod::kPost;
  }
  return std::nullopt;
}

bool has_header(const HttpFields& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& field) {
    return field.first.size() == name.size() &&
           strncasecmp(field.first.data(), name.data(), name.size()) == 0;
  });
}

void replace_header(HttpFields& headers, const std::string& name, const std::string& value) {
  std::erase_if(headers, [&](const auto& field) {
    return strcasecmp(field.first.c_str(), name.c_str()) == 0;
  });
  headers.emplace_back(name, value);
}

bool is_cross_site(const HttpRequest& request) {
  const auto site = request.header("Sec-Fetch-Site");
  return site && *site != "same-origin" && *site != "none";
}

void compress(const HttpRequest& request, HttpResponse& response) {
  if (!response.body || response.body->size() < kGzipFloor ||
      has_header(response.headers, "Content-Encoding")) {
    return;
  }
  response.headers.emplace_back("Vary", "Accept-Encoding");
  const auto accepted = request.header("Accept-Encoding");
  if (!accepted || !accepts_gzip(*accepted)) {
    return;
  }
  if (auto packed = gzip(*response.body)) {
    response.body = std::make_shared<const std::string>(std::move(*packed));
    response.headers.emplace_back("Content-Encoding", "gzip");
  }
}

}  // namespace

template <class Handler>
std::optional<HttpResponse> HttpResponder::call(const HttpRoute& route, const Handler& handler,
                                                const HttpRequest& request) const {
  try {
    return handler(request);
  } catch (const std::exception& error) {
    if (on_problem_) {
      on_problem_({{}, "answering " + route.path + ": " + error.what()});
    }
    return text_response(500, "500 internal server error\n");
  }
}

HttpResponse HttpResponder::respond(std::string_view method, HttpRequest& request) const {
  const auto known = parse_method(method);
  std::string allowed;
  for (const HttpRoute& route : routes_) {
    if (route.path != request.path) {
      continue;
    }
    if (known == route.method) {
      request.method = route.method;
      if (route.method == HttpMethod::kPost && is_cross_site(request)) {
        return text_response(403, "403 cross-site request refused\n");
      }
      return *call(route, route.handler, request);
    }
    allowed += allowed.empty() ? "" : ", ";
    allowed += route.method == HttpMethod::kGet ? "GET, HEAD" : "POST";
  }
  if (allowed.empty()) {
    return text_response(404, "404 page not found\n");
  }
  HttpResponse response = text_response(405, "405 method not allowed\n");
  response.headers.emplace_back("Allow", allowed);
  return response;
}

std::optional<HttpResponse> HttpResponder::respond_quickly(std::string_view method,
                                                           HttpRequest& request) const {
  const auto route = std::ranges::find_if(routes_, [&](const HttpRoute& candidate) {
    return candidate.quick && candidate.path == request.path &&
           candidate.method == parse_method(method);
  });
  if (route == routes_.end()) return std::nullopt;
  request.method = route->method;
  return call(*route, route->quick, request);
}

void HttpResponder::finish(const HttpRequest& request, const HttpFields& fixed,
                           HttpResponse& response) {
  compress(request, response);
  const HttpFields defaults{
      {"Content-Type", response.content_type},
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"},
  };
  for (const auto& [name, value] : defaults) {
    if (!has_header(response.headers, name)) {
      response.headers.emplace_back(name, value);
    }
  }
  for (const auto& [name, value] : fixed) {
    replace_header(response.headers, name, value);
  }
}

}  // namespace rdmadiag::exporters
