#include "exporters/http_gate.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::exporters;
using namespace std::chrono_literals;
using Verdict = HttpGate::Verdict;

namespace {

const rdmadiag::core::SteadyTime kStart{};

HttpRequest request_with(const char* authorization) {
  HttpRequest request;
  if (authorization != nullptr) {
    request.headers = {{"authorization", authorization}};
  }
  return request;
}

// alice:secret at cost 4.
const char* const kHash = "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";

}  // namespace

TEST_CASE("without users and limits everybody may ask") {
  HttpGate gate;
  HttpRequest request = request_with(nullptr);
  std::optional<HttpResponse> refusal;
  CHECK(gate.admit({}, request, kStart, refusal) == Verdict::kServe);
}

TEST_CASE("a password is checked once and then known") {
  HttpGate gate;
  WebConfig config;
  config.users = {{"alice", kHash}};
  std::optional<HttpResponse> refusal;
  HttpRequest right = request_with("Basic YWxpY2U6c2VjcmV0");
  CHECK(gate.admit(config, right, kStart, refusal) == Verdict::kCheckPassword);
  CHECK_FALSE(gate.check_password(config, right));
  CHECK(right.user == "alice");
  HttpRequest again = request_with("Basic YWxpY2U6c2VjcmV0");
  CHECK(gate.admit(config, again, kStart, refusal) == Verdict::kServe);
  CHECK(again.user == "alice");

  HttpRequest wrong = request_with("Basic YWxpY2U6d3Jvbmc=");
  CHECK(gate.admit(config, wrong, kStart, refusal) == Verdict::kCheckPassword);
  const auto refused = gate.check_password(config, wrong);
  REQUIRE(refused);
  CHECK(refused->status == 401);
  CHECK(wrong.user.empty());
  CHECK(gate.admit(config, wrong, kStart, refusal) == Verdict::kRefuse);
  CHECK(refusal->status == 401);
  CHECK(refusal->headers.at(0).first == "WWW-Authenticate");
}

TEST_CASE("without credentials nothing is hashed") {
  HttpGate gate;
  WebConfig config;
  config.users = {{"alice", kHash}};
  for (const char* header : {static_cast<const char*>(nullptr), "Bearer x", "Basic ####"}) {
    HttpRequest request = request_with(header);
    std::optional<HttpResponse> refusal;
    CHECK(gate.admit(config, request, kStart, refusal) == Verdict::kRefuse);
    CHECK(refusal->status == 401);
  }
}

TEST_CASE("the rate limit is a token bucket") {
  RateLimiter limiter;
  const RateLimit limit{100ms, 2};
  CHECK(limiter.allow(limit, kStart));
  CHECK(limiter.allow(limit, kStart));
  CHECK_FALSE(limiter.allow(limit, kStart));
  CHECK_FALSE(limiter.allow(limit, kStart + 99ms));
  CHECK(limiter.allow(limit, kStart + 101ms));
  CHECK_FALSE(limiter.allow(limit, kStart + 102ms));
  CHECK(limiter.allow(limit, kStart + 1h));
  CHECK(limiter.allow(limit, kStart + 1h));
  CHECK_FALSE(limiter.allow(limit, kStart + 1h));
  CHECK(limiter.allow({}, kStart + 1h));
  CHECK(limiter.allow({1s, 1}, kStart + 1h));
}

TEST_CASE("over the limit is 429") {
  HttpGate gate;
  WebConfig config;
  config.rate_limit = {1h, 1};
  HttpRequest request = request_with(nullptr);
  std::optional<HttpResponse> refusal;
  CHECK(gate.admit(config, request, kStart, refusal) == Verdict::kServe);
  CHECK(gate.admit(config, request, kStart, refusal) == Verdict::kRefuse);
  CHECK(refusal->status == 429);
}
