// A server on a loopback port of its own, with routes that tests look at.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "exporters/http_server.h"

// /metrics, /big (200 kB), /echo (what the handler saw, GET and POST).
[[nodiscard]] std::vector<rdmadiag::exporters::HttpRoute> test_routes();

struct HttpFixture {
  // Listens on 127.0.0.1 unless the options name another address. Fails the test when it cannot.
  explicit HttpFixture(rdmadiag::exporters::HttpServerOptions options = {},
                       std::vector<rdmadiag::exporters::HttpRoute> routes = test_routes());

  [[nodiscard]] std::string url(const std::string& path) const;  // http(s)://address/path

  rdmadiag::core::SystemClock clock;
  std::unique_ptr<rdmadiag::exporters::HttpServer> server;
  std::string address;
};
