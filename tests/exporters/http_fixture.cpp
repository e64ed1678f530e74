#include "tests/exporters/http_fixture.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::exporters;

namespace {

HttpResponse echo(const HttpRequest& request) {
  std::string text = request.method == HttpMethod::kPost ? "POST" : "GET";
  text += " " + request.path + " from " + request.peer_address + "\n";
  text += "user=" + request.user + " cert=" + request.client_subject + "\n";
  for (const auto& [key, value] : request.query) {
    text += "query " + key + "=" + value + "\n";
  }
  return text_response(200, text + "body " + request.body);
}

}  // namespace

std::vector<HttpRoute> test_routes() {
  std::string big;
  for (int i = 0; big.size() < 200'000; ++i) {
    big += "rdma_port_rx_bytes_total{device=\"mlx5_" + std::to_string(i) + "\",port=\"1\"} 42\n";
  }
  const auto shared = std::make_shared<const std::string>(std::move(big));
  return {{HttpMethod::kGet, "/metrics",
           [](const HttpRequest&) { return text_response(200, "rdma_devices 0\n"); }},
          {HttpMethod::kGet, "/big",
           [shared](const HttpRequest&) {
             HttpResponse response;
             response.body = shared;
             return response;
           }},
          {HttpMethod::kGet, "/echo", &echo},
          {HttpMethod::kPost, "/echo", &echo}};
}

HttpFixture::HttpFixture(HttpServerOptions options, std::vector<HttpRoute> routes) {
  if (options.listen_addresses.empty() && options.sockets.empty()) {
    options.listen_addresses = {"127.0.0.1:0"};
  }
  auto started = HttpServer::start(std::move(options), std::move(routes), clock);
  if (!started) {
    FAIL(started.error().message());
  }
  server = std::move(*started);
  address = server->addresses().front();
}

std::string HttpFixture::url(const std::string& path) const {
  return (server->uses_tls() ? "https://" : "http://") + address + path;
}
