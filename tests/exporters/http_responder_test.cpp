#include "exporters/http_responder.h"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace rdmadiag::exporters;

namespace {

HttpResponder make_responder(std::vector<std::string>* problems = nullptr) {
  std::vector<HttpRoute> routes{
      {HttpMethod::kGet, "/metrics", [](const HttpRequest&) { return text_response(200, "m 1\n"); },
       [](const HttpRequest& request) -> std::optional<HttpResponse> {
         if (!request.query.empty()) return std::nullopt;
         return text_response(200, "m 2\n");
       }},
      {HttpMethod::kGet, "/both", [](const HttpRequest&) { return text_response(200, "got"); }},
      {HttpMethod::kPost, "/both",
       [](const HttpRequest& request) { return text_response(200, "posted " + request.body); }},
      {HttpMethod::kGet, "/throws",
       [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret"); },
       [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret"); }}};
  return {std::move(routes), [problems](const rdmadiag::core::Error& error) {
            if (problems != nullptr) {
              problems->push_back(error.message());
            }
          }};
}

HttpRequest request_for(std::string path) {
  HttpRequest request;
  request.path = std::move(path);
  return request;
}

std::string value(const HttpResponse& response, std::string_view name) {
  std::string found;
  for (const auto& [key, text] : response.headers) {
    if (key == name) {
      found += found.empty() ? text : "|" + text;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("routes match exactly and by method") {
  const auto responder = make_responder();
  const auto answer = [&](const char* method, const char* path) {
    auto request = request_for(path);
    request.body = "x";
    return responder.respond(method, request);
  };
  CHECK(*answer("GET", "/metrics").body == "m 1\n");
  CHECK(answer("HEAD", "/metrics").status == 200);
  CHECK(*answer("POST", "/both").body == "posted x");
  for (const char* path : {"/", "/metrics/", "//metrics", "/Metrics", "/metric", ""}) {
    CHECK(answer("GET", path).status == 404);
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", "BREW"}) {
    const auto response = answer(method, "/metrics");
    CHECK(response.status == 405);
    CHECK(value(response, "Allow") == "GET, HEAD");
  }
  CHECK(value(answer("PATCH", "/both"), "Allow") == "GET, HEAD, POST");
  CHECK(answer("PATCH", "/nowhere").status == 404);
}

TEST_CASE("a quick response is that of the route's quick handler, or none") {
  const auto responder = make_responder();
  auto request = request_for("/metrics");
  for (const char* method : {"GET", "HEAD"}) {
    const auto quick = responder.respond_quickly(method, request);
    REQUIRE(quick);
    CHECK(*quick->body == "m 2\n");
  }
  CHECK_FALSE(responder.respond_quickly("POST", request));
  request.query = {{"slow", ""}};
  CHECK_FALSE(responder.respond_quickly("GET", request));
  for (const char* path : {"/both", "/metrics/", "/nothing"}) {
    auto other = request_for(path);
    CHECK_FALSE(responder.respond_quickly("GET", other));
  }
}

TEST_CASE("a form on another site cannot post") {
  const auto responder = make_responder();
  auto request = request_for("/both");
  request.headers = {{"sec-fetch-site", "cross-site"}};
  CHECK(responder.respond("POST", request).status == 403);
  CHECK(responder.respond("GET", request).status == 200);
  request.headers = {{"Sec-Fetch-Site", "same-origin"}};
  CHECK(responder.respond("POST", request).status == 200);
}

TEST_CASE("a handler that throws is reported to us, not to the client") {
  std::vector<std::string> problems;
  const auto responder = make_responder(&problems);
  auto request = request_for("/throws");
  for (const auto& response : {std::optional(responder.respond("GET", request)),
                               responder.respond_quickly("GET", request)}) {
    REQUIRE(response);
    CHECK(response->status == 500);
    CHECK(*response->body == "500 internal server error\n");
  }
  CHECK(problems == std::vector<std::string>(2, "answering /throws: secret"));
}

TEST_CASE("every response carries the security headers, and handlers and config may replace them") {
  HttpResponse response = text_response(200, "x");
  response.headers = {{"content-security-policy", "default-src 'self'"}};
  HttpResponder::finish(HttpRequest{}, {{"X-Frame-Options", "sameorigin"}}, response);
  CHECK(value(response, "X-Content-Type-Options") == "nosniff");
  CHECK(value(response, "X-Frame-Options") == "sameorigin");
  CHECK(value(response, "content-security-policy") == "default-src 'self'");
  CHECK(value(response, "Content-Security-Policy").empty());
  CHECK(value(response, "Content-Type") == "text/plain; charset=utf-8");
  CHECK(value(response, "Cache-Control") == "no-store");
}

TEST_CASE("gzip only when asked for and worth it") {
  HttpRequest asks;
  asks.headers = {{"Accept-Encoding", "gzip"}};
  const auto encoding = [](const HttpRequest& request, HttpResponse response) {
    HttpResponder::finish(request, {}, response);
    return value(response, "Content-Encoding");
  };
  CHECK(encoding(asks, text_response(200, std::string(1024, 'a'))) == "gzip");
  CHECK(encoding(asks, text_response(200, std::string(1023, 'a'))).empty());
  CHECK(encoding(HttpRequest{}, text_response(200, std::string(9999, 'a'))).empty());
  HttpResponse packed = text_response(200, std::string(9999, 'a'));
  packed.headers = {{"Content-Encoding", "br"}};
  CHECK(encoding(asks, packed) == "br");
  HttpResponse plain = text_response(200, std::string(9999, 'a'));
  HttpResponder::finish(HttpRequest{}, {}, plain);
  CHECK(value(plain, "Vary") == "Accept-Encoding");
}
