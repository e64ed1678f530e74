#include "exporters/http_gate.h"

#include <algorithm>
#include <chrono>

namespace rdmadiag::exporters {
namespace {

HttpResponse unauthorized() {
  HttpResponse response = text_response(401, "401 unauthorized\n");
  response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"rdmadiag\", charset=\"UTF-8\"");
  return response;
}

std::optional<Credentials> credentials_of(const HttpRequest& request) {
  const auto header = request.header("Authorization");
  return header ? parse_basic_credentials(*header) : std::nullopt;
}

}  // namespace

bool RateLimiter::allow(const RateLimit& limit, core::SteadyTime now) {
  if (limit.interval.count() == 0) {
    return true;
  }
  const auto burst = static_cast<double>(limit.burst);
  if (limit.interval != limit_.interval || limit.burst != limit_.burst) {
    limit_ = limit;
    tokens_ = burst;
    filled_ = now;
  }
  const std::chrono::duration<double, std::nano> passed = now - filled_;
  tokens_ = std::min(burst, tokens_ + passed.count() / static_cast<double>(limit.interval.count()));
  filled_ = now;
  if (tokens_ < 1) {
    return false;
  }
  tokens_ -= 1;
  return true;
}

HttpGate::Verdict HttpGate::admit(const WebConfig& config, HttpRequest& request,
                                  core::SteadyTime now, std::optional<HttpResponse>& refusal) {
  if (!limiter_.allow(config.rate_limit, now)) {
    refusal = text_response(429, "429 too many requests\n");
    return Verdict::kRefuse;
  }
  if (config.users.empty()) {
    return Verdict::kServe;
  }
  const auto credentials = credentials_of(request);
  const auto known = credentials ? auth_.recall(config.users, *credentials) : false;
  if (!known) {
    return Verdict::kCheckPassword;
  }
  if (!*known) {
    refusal = unauthorized();
    return Verdict::kRefuse;
  }
  request.user = credentials->user;
  return Verdict::kServe;
}

std::optional<HttpResponse> HttpGate::check_password(const WebConfig& config,
                                                     HttpRequest& request) {
  const auto credentials = credentials_of(request);
  if (!credentials || !auth_.verify(config.users, *credentials)) {
    return unauthorized();
  }
  request.user = credentials->user;
  return std::nullopt;
}

}  // namespace rdmadiag::exporters
