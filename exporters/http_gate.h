// Who may ask: the web configuration's rate limit and users, before a request reaches its handler.
#pragma once

#include <optional>

#include "agent/core/clock.h"
#include "exporters/basic_auth.h"
#include "exporters/http_message.h"
#include "exporters/web_config.h"

namespace rdmadiag::exporters {

// A token bucket over all clients together, as the exporter-toolkit has it.
class RateLimiter {
 public:
  [[nodiscard]] bool allow(const RateLimit& limit, core::SteadyTime now);

 private:
  RateLimit limit_;
  double tokens_ = 0;
  core::SteadyTime filled_;
};

class HttpGate {
 public:
  enum class Verdict { kServe, kCheckPassword, kRefuse };

  // On the network thread. Sets `user` when it is known; sets `refusal` on kRefuse.
  [[nodiscard]] Verdict admit(const WebConfig& config, HttpRequest& request, core::SteadyTime now,
                              std::optional<HttpResponse>& refusal);
  // On a worker, after kCheckPassword: hashes. A refusal, or empty with request.user set.
  [[nodiscard]] std::optional<HttpResponse> check_password(const WebConfig& config,
                                                           HttpRequest& request);

 private:
  RateLimiter limiter_;
  BasicAuth auth_;
};

}  // namespace rdmadiag::exporters
