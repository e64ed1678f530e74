// What a slow, greedy or hostile client can do: cost itself its connection.
#include <catch2/catch.hpp>
#include <latch>
#include <thread>

#include "exporters/http_server.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/http_fixture.h"
#include "tests/exporters/raw_client.h"

using namespace rdmadiag::exporters;
using namespace std::chrono_literals;

namespace {

bool scrape_works(const HttpFixture& http) { return get(http.url("/metrics")).status == 200; }

}  // namespace

TEST_CASE("a scrape gets in beside a thousand idle connections of its own address") {
  const HttpFixture http;
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(std::make_unique<RawClient>(http.address));
    REQUIRE(idle.back()->is_connected());
  }
  for (int i = 0; i < 5; ++i) {
    CHECK(scrape_works(http));
  }
  CHECK(idle.front()->is_closed_by_server());
  const auto stats = http.server->stats();
  CHECK(stats.connections_open <= HttpLimits{}.connections_per_address);
  CHECK(stats.connections_evicted >= 900);
}

TEST_CASE("who sends a byte at a time is cut off, and nobody waits for it") {
  HttpServerOptions options;
  options.limits.request_timeout = 300ms;
  const HttpFixture http(std::move(options));
  RawClient slow(http.address);
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\nX: ";
  std::size_t sent = 0;
  while (http.server->stats().connections_evicted == 0 && sent < 15'000) {
    slow.send(sent < request.size() ? request.substr(sent, 1) : "y");
    ++sent;
    REQUIRE(scrape_works(http));
  }
  CHECK(http.server->stats().connections_evicted == 1);
  CHECK(slow.receive().empty());  // closed, without an answer
}

TEST_CASE("a kept-alive connection ends after its idle time") {
  HttpServerOptions options;
  options.limits.idle_timeout = 100ms;
  const HttpFixture http(std::move(options));
  RawClient client(http.address);
  REQUIRE(client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(client.receive(12) == "HTTP/1.1 200");
  CHECK(client.is_closed_by_server());
}

TEST_CASE("who does not take the response is cut off") {
  HttpServerOptions options;
  options.limits.send_timeout = 200ms;
  const HttpFixture http(std::move(options));
  RawClient client(http.address);
  std::string requests;
  for (int i = 0; i < 400; ++i) {  // 80 MB of answers, far more than sockets buffer
    requests += "GET /big HTTP/1.1\r\nHost: x\r\n\r\n";
  }
  REQUIRE(client.send(requests));
  CHECK(scrape_works(http));
  CHECK(http.server->stats().connections_accepted == 2);
  while (http.server->stats().connections_evicted == 0) {
    std::this_thread::yield();
  }
  CHECK(client.is_closed_by_server());
}

TEST_CASE("a header of 100 MB costs no more than its limit") {
  const HttpFixture http;
  RawClient client(http.address);
  REQUIRE(client.send("GET /metrics HTTP/1.1\r\nHost: x\r\nX: "));
  const std::string megabyte(1 << 20, 'a');
  int sent = 0;
  while (sent < 100 && client.send(megabyte)) {
    ++sent;
  }
  CHECK(sent < 100);
  CHECK(scrape_works(http));
}

TEST_CASE("a header and a target just over the limit are named") {
  const HttpFixture http;
  RawClient header(http.address);
  REQUIRE(header.send("GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + std::string(24'000, 'a')));
  CHECK(header.receive(12) == "HTTP/1.1 431");
  RawClient target(http.address);
  REQUIRE(target.send("GET /" + std::string(24'000, 'a')));
  CHECK(target.receive(12) == "HTTP/1.1 414");
  RawClient fits(http.address);
  REQUIRE(
      fits.send("GET /metrics HTTP/1.1\r\nHost: x\r\nX: " + std::string(15'000, 'a') + "\r\n\r\n"));
  CHECK(fits.receive(12) == "HTTP/1.1 200");
}

TEST_CASE("a body over the limit is refused before it is read") {
  const HttpFixture http;
  RawClient client(http.address);
  REQUIRE(client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n"));
  CHECK(client.receive(12) == "HTTP/1.1 413");
  RawClient absurd(http.address);
  REQUIRE(absurd.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n"));
  CHECK(absurd.receive(12) == "HTTP/1.1 413");
  const auto fits = fetch({.url = http.url("/echo"), .body = std::string(65536, 'b')});
  CHECK(fits.status == 200);
  CHECK(fits.body.ends_with(std::string(65536, 'b')));
}

TEST_CASE("a chunked body over the limit is not kept") {
  const HttpFixture http;
  RawClient client(http.address);
  std::string body;
  for (int i = 0; i < 20; ++i) {
    body += "1000\r\n" + std::string(4096, 'c') + "\r\n";
  }
  REQUIRE(client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      body + "0\r\n\r\n"));
  CHECK(client.receive(12) == "HTTP/1.1 413");
}

TEST_CASE("garbage closes its own connection") {
  HttpServerOptions options;
  options.limits.request_timeout = 200ms;  // some garbage is a request that never ends
  const HttpFixture http(std::move(options));
  std::string noise;
  unsigned state = 7;
  for (int i = 0; i < 4000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24);
  }
  for (const std::string& bytes :
       {noise, std::string("\r\n\r\n\r\n"), std::string(200, '\0') + "\r\n\r\n",
        std::string("GET\r\n\r\n"), std::string("GET /metrics HTTP/9.9\r\nHost: x\r\n\r\n"),
        std::string("GET /metrics HTTP/1.1\r\n\r\n"),  // no Host
        std::string("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01", 6)}) {
    RawClient client(http.address);
    client.send(bytes);
    client.finish_sending();
    CHECK(client.receive().find("200 OK") == std::string::npos);
    CHECK(scrape_works(http));
  }
}

TEST_CASE("with every worker busy and the queue full a request is turned away at once") {
  std::latch release(1);
  std::atomic<int> inside = 0;
  std::vector<HttpRoute> routes{{HttpMethod::kGet, "/stuck", [&](const HttpRequest&) {
                                   ++inside;
                                   release.wait();
                                   return text_response(200, "done");
                                 }}};
  HttpServerOptions options;
  options.listen_addresses = {"127.0.0.1:0"};
  options.limits.workers = 1;
  options.limits.queued_requests = 1;
  const rdmadiag::core::SystemClock clock;
  auto server = HttpServer::start(std::move(options), std::move(routes), clock);
  REQUIRE(server);
  const std::string address = (*server)->addresses().front();
  const std::string request = "GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n";
  RawClient first(address);
  REQUIRE(first.send(request));
  while (inside == 0) {
    std::this_thread::yield();
  }
  RawClient second(address);
  REQUIRE(second.send(request));
  while ((*server)->stats().requests < 2) {
    std::this_thread::yield();
  }
  const auto third = get("http://" + address + "/stuck");
  CHECK(third.status == 503);
  CHECK(third.header("retry-after") == "1");
  release.count_down();
  CHECK(first.receive(12) == "HTTP/1.1 200");
  CHECK(second.receive(12) == "HTTP/1.1 200");
}

TEST_CASE("with every connection in a handler the next client hears 503 at once") {
  std::latch release(1);
  std::vector<HttpRoute> routes{{HttpMethod::kGet, "/stuck", [&](const HttpRequest&) {
                                   release.wait();
                                   return text_response(200, "done");
                                 }}};
  HttpServerOptions options;
  options.listen_addresses = {"127.0.0.1:0"};
  options.limits.connections = 4;
  const rdmadiag::core::SystemClock clock;
  auto server = HttpServer::start(std::move(options), std::move(routes), clock);
  REQUIRE(server);
  const std::string address = (*server)->addresses().front();
  std::vector<std::unique_ptr<RawClient>> busy;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    busy.push_back(std::make_unique<RawClient>(address));
    REQUIRE(busy.back()->send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n"));
    while ((*server)->stats().requests < i) {
      std::this_thread::yield();
    }
  }
  CHECK(get("http://" + address + "/stuck").status == 503);
  CHECK((*server)->stats().connections_rejected == 1);
  release.count_down();
  for (const auto& client : busy) {
    CHECK(client->receive(12) == "HTTP/1.1 200");
  }
}

TEST_CASE("a client that hangs up while its request is handled harms nothing") {
  const HttpFixture http;
  for (int i = 0; i < 50; ++i) {
    RawClient client(http.address);
    REQUIRE(client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n"));
  }
  CHECK(scrape_works(http));
}
