// HTTP(S) to other agents and to discovery services: JSON in, JSON out, everything bounded, and
// given up at once when the program stops. One object belongs to one thread and keeps its
// connections.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/core/result.h"
#include "probes/stop_event.h"

namespace rdmadiag::probes {

struct HttpClientTls {
  std::string ca_file = {};  // empty: the system's authorities
  std::string cert_file = {};
  std::string key_file = {};

  bool operator==(const HttpClientTls&) const = default;
};

struct HttpClientOptions {
  HttpClientTls tls = {};
  std::chrono::milliseconds connect_timeout{2'000};
  std::chrono::milliseconds timeout{5'000};  // for one whole call
  std::size_t max_body = std::size_t{4} << 20;
};

class HttpClient {
 public:
  // `stop` outlives the client.
  HttpClient(HttpClientOptions options, const StopEvent& stop);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // The body of a 200. Only http and https, no redirects, no proxy. The error names the URL without
  // any password in it; its code is ECONNREFUSED, ETIMEDOUT and such where the network said so.
  [[nodiscard]] core::Result<std::string> get(const std::string& url);
  [[nodiscard]] core::Result<std::string> post_json(const std::string& url,
                                                    const std::string& json);

  // Hands the body over in pieces as it comes, for at most `time`: success when that is over, when
  // `take` says false, or when the server ends it.
  using Take = std::function<bool(std::string_view)>;
  [[nodiscard]] core::Status post_stream(const std::string& url, const std::string& json,
                                         std::chrono::milliseconds time, const Take& take);

 private:
  struct Handles;
  struct Call;
  void prepare(const Call& call);
  [[nodiscard]] int run(Call& call);  // a CURLcode, or -1 when stopped
  [[nodiscard]] core::Result<std::string> perform(Call& call);

  HttpClientOptions options_;
  const StopEvent& stop_;
  std::unique_ptr<Handles> handles_;
};

// "https://user:secret@host/x" without the part before the @, for messages.
[[nodiscard]] std::string url_without_credentials(const std::string& url);

}  // namespace rdmadiag::probes
