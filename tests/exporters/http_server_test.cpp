#include "exporters/http_server.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "exporters/listen.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/http_fixture.h"
#include "tests/exporters/raw_client.h"

using namespace rdmadiag::exporters;

TEST_CASE("a page is served, and its head") {
  const HttpFixture http;
  const auto page = get(http.url("/metrics"));
  CHECK(page.status == 200);
  CHECK(page.body == "rdma_devices 0\n");
  CHECK(page.header("content-type") == "text/plain; charset=utf-8");
  CHECK(page.header("x-content-type-options") == "nosniff");
  const auto head = fetch({.url = http.url("/metrics"), .method = "HEAD"});
  CHECK(head.status == 200);
  CHECK(head.body.empty());
  CHECK(head.header("content-length") == "15");
}

TEST_CASE("a handler sees the decoded request") {
  const HttpFixture http;
  const auto response =
      fetch({.url = http.url("/%65cho?collect[]=a%20b&collect[]=c+d&x"), .body = "hello"});
  CHECK(response.status == 200);
  CHECK(response.body ==
        "POST /echo from 127.0.0.1\nuser= cert=\nquery collect[]=a b\nquery collect[]=c d\n"
        "query x=\nbody hello");
}

TEST_CASE("what is not a route, a method or a decodable target gets its status") {
  const HttpFixture http;
  CHECK(get(http.url("/nothing")).status == 404);
  const auto wrong = fetch({.url = http.url("/metrics"), .method = "DELETE"});
  CHECK(wrong.status == 405);
  CHECK(wrong.header("allow") == "GET, HEAD");
  CHECK(get(http.url("/metrics?a=%00")).status == 400);
  const auto bad = get(http.url("/metrics?a=%zz"));
  CHECK(bad.status == 400);
  CHECK(bad.body == "400 bad escape in the request target\n");
  CHECK(bad.header("x-content-type-options") == "nosniff");
}

TEST_CASE("a large page arrives whole, packed or not") {
  const HttpFixture http;
  const auto plain = get(http.url("/big"));
  CHECK(plain.header("content-encoding").empty());
  CHECK(plain.body.size() > 200'000);
  const auto packed = fetch({.url = http.url("/big"), .accept_gzip = true});
  CHECK(packed.header("content-encoding") == "gzip");
  CHECK(std::stoul(packed.header("content-length")) < plain.body.size() / 5);
  CHECK(packed.body == plain.body);
}

TEST_CASE("requests in one packet are answered in order") {
  const HttpFixture http;
  RawClient client(http.address);
  std::string sent;
  for (int i = 0; i < 20; ++i) {
    sent += "GET /echo?n=" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  sent += "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  REQUIRE(client.send(sent));
  const std::string got = client.receive();
  std::size_t at = 0;
  for (int i = 0; i < 20; ++i) {
    at = got.find("query n=" + std::to_string(i) + "\n", at);
    CHECK(at != std::string::npos);
  }
  CHECK(got.ends_with("rdma_devices 0\n"));
}

TEST_CASE("IPv6 and every address together") {
  const HttpFixture http({.listen_addresses = {"[::1]:0", ":0"}});
  CHECK(get(http.url("/echo")).body.starts_with("GET /echo from ::1\n"));
  const auto addresses = http.server->addresses();
  REQUIRE(addresses.size() == 2);
  const std::string port = addresses[1].substr(addresses[1].rfind(':'));
  CHECK(get("http://127.0.0.1" + port + "/echo").body.starts_with("GET /echo from 127.0.0.1\n"));
  CHECK(get("http://[::1]" + port + "/echo").status == 200);
}

TEST_CASE("a socket that somebody else opened is served") {
  HttpServerOptions options;
  auto socket = open_listener({"127.0.0.1", 0});
  REQUIRE(socket);
  options.sockets.push_back(std::move(*socket));
  const HttpFixture http(std::move(options));
  CHECK(get(http.url("/metrics")).status == 200);
}

TEST_CASE("what cannot be listened on is one clear line") {
  const rdmadiag::core::SystemClock clock;
  const auto error = [&](std::vector<std::string> addresses) {
    auto server = HttpServer::start({.listen_addresses = std::move(addresses)}, {}, clock);
    REQUIRE_FALSE(server);
    return server.error().message();
  };
  CHECK(error({}) == "no address to listen on");
  CHECK(error({"127.0.0.1:0", "nonsense"}) ==
        "bad listen address \"nonsense\": want host:port or :port");
  const HttpFixture other;
  CHECK(error({other.address}) == "listening on " + other.address + ": Address already in use");
}

TEST_CASE("a stopped server has closed everything and its port is free again") {
  std::string address;
  {
    HttpFixture http;
    address = http.address;
    RawClient idle(address);
    REQUIRE(idle.is_connected());
    CHECK(get(http.url("/metrics")).status == 200);
    http.server.reset();
    CHECK(idle.is_closed_by_server());
  }
  const HttpFixture again({.listen_addresses = {address}});
  CHECK(get(again.url("/metrics")).status == 200);
}

TEST_CASE("requests and connections are counted") {
  const HttpFixture http;
  CHECK(get(http.url("/metrics")).status == 200);
  CHECK(get(http.url("/nothing")).status == 404);
  const auto stats = http.server->stats();
  CHECK(stats.requests == 2);
  CHECK(stats.connections_accepted == 2);
  CHECK(stats.connections_rejected == 0);
}

TEST_CASE("a quick answer is the network thread's own, also while every worker is at work") {
  std::latch release(1);
  std::atomic<unsigned> inside = 0;
  std::vector<HttpRoute> routes{
      {HttpMethod::kGet, "/quick", [](const HttpRequest&) { return text_response(200, "slow"); },
       [](const HttpRequest& request) -> std::optional<HttpResponse> {
         if (!request.query.empty()) return std::nullopt;
         return text_response(200, std::string(2000, 'q'));
       }},
      {HttpMethod::kGet, "/long", [&](const HttpRequest&) {
         ++inside;
         release.wait();
         return text_response(200, "long");
       }}};
  const unsigned workers = HttpLimits().workers;
  const HttpFixture http({}, std::move(routes));
  const std::string url = http.url("/quick");
  CHECK(get(url + "?x").body == "slow");
  CHECK(fetch({.url = url, .method = "DELETE"}).status == 405);

  std::vector<std::unique_ptr<RawClient>> at_work;
  for (unsigned i = 0; i < workers; ++i) {
    at_work.push_back(std::make_unique<RawClient>(http.address));
    REQUIRE(at_work.back()->send("GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  }
  while (inside < workers) std::this_thread::yield();
  const auto packed = fetch({.url = url, .accept_gzip = true});
  CHECK(packed.header("content-encoding") == "gzip");
  CHECK(packed.header("x-content-type-options") == "nosniff");
  CHECK(packed.body == std::string(2000, 'q'));
  release.count_down();
  for (const auto& client : at_work) CHECK(client->receive().ends_with("long"));
}

TEST_CASE("quick answers that take their time leave the rest to the workers") {
  std::vector<HttpRoute> routes{{HttpMethod::kGet, "/quick",
                                 [](const HttpRequest&) { return text_response(200, "slow"); },
                                 [](const HttpRequest&) {
                                   std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                   return std::optional(text_response(200, "quick"));
                                 }}};
  const HttpFixture http({}, std::move(routes));
  RawClient client(http.address);
  REQUIRE(
      client.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n"
                  "GET /quick HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  const std::string got = client.receive();
  const std::size_t first = got.find("\r\n\r\nquick");
  REQUIRE(first != std::string::npos);
  CHECK(got.find("\r\n\r\nslow", first) != std::string::npos);
}
