#include "probes/http_client.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <latch>
#include <thread>

#include "exporters/listen.h"
#include "tests/exporters/certificates.h"
#include "tests/exporters/http_fixture.h"
#include "tests/exporters/temp_folder.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;
using rdmadiag::exporters::HttpFields;
using rdmadiag::exporters::HttpServerOptions;
using rdmadiag::exporters::listener_name;
using rdmadiag::exporters::open_listener;

TEST_CASE("pages are fetched and posted") {
  const HttpFixture http;
  const StopEvent stop;
  HttpClient client({}, stop);
  CHECK(client.get(http.url("/metrics")) == "rdma_devices 0\n");
  CHECK(client.get(http.url("/big"))->size() > 200'000);
  const auto echoed = client.post_json(http.url("/echo?x=1"), R"({"a":1})");
  REQUIRE(echoed);
  CHECK(echoed->starts_with("POST /echo"));
  CHECK(echoed->ends_with(R"(body {"a":1})"));
  CHECK(client.get(http.url("/metrics")) == "rdma_devices 0\n");
  CHECK(http.server->stats().connections_accepted == 1);
}

TEST_CASE("what goes wrong is named with its URL, without the password in it") {
  const HttpFixture http;
  const StopEvent stop;
  HttpClient client({.max_body = 1000}, stop);
  CHECK(client.get(http.url("/nothing")).error().message() ==
        "GET " + http.url("/nothing") + ": HTTP status 404: 404 page not found");
  CHECK(client.get("http://user:secret@" + http.address + "/nothing").error().message() ==
        "GET http://" + http.address + "/nothing: HTTP status 404: 404 page not found");
  CHECK(client.get(http.url("/big")).error().message() ==
        "GET " + http.url("/big") + ": the answer is larger than 1000 bytes");
  CHECK_FALSE(client.get("file:///etc/hostname"));
  CHECK_FALSE(client.get("http://127.0.0.1:1/"));
  CHECK_FALSE(client.get("nonsense"));
}

TEST_CASE("credentials are cut out of URLs and nothing else is") {
  CHECK(url_without_credentials("https://u:p@host/x@y") == "https://host/x@y");
  CHECK(url_without_credentials("https://u:p@q@host:1") == "https://host:1");
  CHECK(url_without_credentials("https://host/x@y") == "https://host/x@y");
  CHECK(url_without_credentials("u@host?a=@b") == "host?a=@b");
  CHECK(url_without_credentials("") == "");
}

TEST_CASE("a server that never answers costs the time-out, not more") {
  const auto silent = open_listener({"127.0.0.1", 0});
  REQUIRE(silent);
  const StopEvent stop;
  HttpClient client({.timeout = 50ms}, stop);
  const std::string url = "http://" + listener_name(*silent) + "/";
  CHECK(client.get(url).error().message() == "GET " + url + ": Connection timed out");
}

TEST_CASE("a call under way ends when the program stops") {
  const auto silent = open_listener({"127.0.0.1", 0});
  REQUIRE(silent);
  StopEvent stop;
  HttpClient client({.timeout = 10min}, stop);
  std::latch calling(1);
  std::jthread stopper([&] {
    calling.wait();
    stop.set();
  });
  calling.count_down();
  const auto answer = client.get("http://" + listener_name(*silent) + "/");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == std::errc::operation_canceled);
}

TEST_CASE("a stream ends when enough was taken, and when its time is over") {
  const HttpFixture http;
  const StopEvent stop;
  HttpClient client({}, stop);
  std::size_t taken = 0;
  CHECK(client.post_stream(http.url("/echo"), "{}", 10s, [&](std::string_view piece) {
    taken += piece.size();
    return false;
  }));
  CHECK(taken > 0);
  const auto silent = open_listener({"127.0.0.1", 0});
  REQUIRE(silent);
  // No answer at all is a failure, not an empty stream.
  CHECK_FALSE(client.post_stream("http://" + listener_name(*silent) + "/", "{}", 50ms,
                                 [](std::string_view) { return true; }));
  CHECK_FALSE(
      client.post_stream(http.url("/nothing"), "{}", 10s, [](std::string_view) { return true; }));
}

TEST_CASE("servers are verified, and the client shows its certificate") {
  const TempFolder folder;
  const CertificateAuthority authority("servers");
  const CertificateAuthority clients("clients");
  const auto server = authority.sign({.common_name = "s", .ip = "127.0.0.1"});
  const auto own = clients.sign({.common_name = "agent", .for_client = true});
  folder.write("server.crt", server.certificate);
  folder.write("server.key", server.key);
  folder.write("clients.crt", clients.certificate());
  const HttpFixture http(
      HttpServerOptions{.web_config_file = folder.write("web.yml", R"(tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_ca_file: clients.crt
  client_auth_type: RequireAndVerifyClientCert
)")});
  const StopEvent stop;
  HttpClientTls tls{.ca_file = folder.write("ca.crt", authority.certificate()),
                    .cert_file = folder.write("own.crt", own.certificate),
                    .key_file = folder.write("own.key", own.key)};
  CHECK(HttpClient({.tls = tls}, stop).get(http.url("/metrics")) == "rdma_devices 0\n");
  HttpClientTls stranger = tls;
  stranger.cert_file.clear();
  stranger.key_file.clear();
  CHECK_FALSE(HttpClient({.tls = stranger}, stop).get(http.url("/metrics")));
  HttpClientTls wary = tls;
  wary.ca_file = folder.write("other.crt", clients.certificate());
  CHECK_FALSE(HttpClient({.tls = wary}, stop).get(http.url("/metrics")));
}
