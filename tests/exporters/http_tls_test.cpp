// Real TLS over loopback: certificates made here, libcurl as the client.
#include <curl/curl.h>

#include <catch2/catch.hpp>
#include <mutex>

#include "exporters/http_server.h"
#include "tests/exporters/certificates.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/http_fixture.h"
#include "tests/exporters/raw_client.h"
#include "tests/exporters/temp_folder.h"

using namespace rdmadiag::exporters;

namespace {

constexpr const char* kTls =
    "tls_server_config:\n  cert_file: server.crt\n  key_file: server.key\n";

struct TlsSetup {
  TempFolder folder;
  CertificateAuthority authority{"server authority"};
  CertificateAuthority clients{"client authority"};
  std::string server_ca = folder.write("server-ca.crt", authority.certificate());

  TlsSetup() {
    folder.write("client-ca.crt", clients.certificate());
    renew("first");
  }

  void renew(const std::string& name) const {
    const auto server = authority.sign({.common_name = name, .ip = "127.0.0.1"});
    folder.write("server.key", server.key);
    folder.write("server.crt", server.certificate);
  }

  [[nodiscard]] HttpServerOptions options(const std::string& text) const {
    return {.web_config_file = folder.write("web.yml", text)};
  }

  [[nodiscard]] CurlRequest request(const HttpFixture& http, const std::string& path) const {
    return {.url = http.url(path), .ca_file = server_ca};
  }

  [[nodiscard]] CurlRequest request_as(const HttpFixture& http,
                                       const CertificateAndKey& client) const {
    CurlRequest out = request(http, "/echo");
    out.cert_file = folder.write("client.crt", client.certificate);
    out.key_file = folder.write("client.key", client.key);
    return out;
  }
};

}  // namespace

TEST_CASE("pages come over TLS, to whoever trusts the certificate") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(kTls));
  CHECK(http.server->uses_tls());
  CHECK(fetch(setup.request(http, "/metrics")).body == "rdma_devices 0\n");
  auto packed = setup.request(http, "/big");
  packed.accept_gzip = true;
  CHECK(fetch(packed).body.size() > 200'000);
  CHECK(fetch(setup.request(http, "/big")).body == fetch(packed).body);
  CHECK(get(http.url("/metrics")).status == 0);
  RawClient plain(http.address);
  REQUIRE(plain.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"));
  CHECK(plain.receive().find("200") == std::string::npos);
}

TEST_CASE("old versions are refused unless configured") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(std::string(kTls) + "  min_version: TLS13\n"));
  auto old = setup.request(http, "/metrics");
  old.tls_max_version = CURL_SSLVERSION_MAX_TLSv1_2;
  CHECK(fetch(old).status == 0);
  CHECK(fetch(setup.request(http, "/metrics")).status == 200);
}

TEST_CASE("a client certificate is required, verified and shown") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(std::string(kTls) +
                                       "  client_auth_type: RequireAndVerifyClientCert\n"
                                       "  client_ca_file: client-ca.crt\n"));
  CHECK(fetch(setup.request(http, "/echo")).status == 0);
  const auto good = setup.clients.sign({.common_name = "prometheus", .for_client = true});
  const auto answer = fetch(setup.request_as(http, good));
  CHECK(answer.status == 200);
  CHECK(answer.body.find("cert=CN=prometheus\n") != std::string::npos);
  const auto stranger = setup.authority.sign({.common_name = "prometheus", .for_client = true});
  CHECK(fetch(setup.request_as(http, stranger)).status == 0);
  const auto not_a_client = setup.clients.sign({.common_name = "prometheus"});
  CHECK(fetch(setup.request_as(http, not_a_client)).status == 0);
}

TEST_CASE("a client certificate that is optional is still verified") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(std::string(kTls) +
                                       "  client_auth_type: VerifyClientCertIfGiven\n"
                                       "  client_ca_file: client-ca.crt\n"));
  CHECK(fetch(setup.request(http, "/echo")).body.find("cert=\n") != std::string::npos);
  const auto good = setup.clients.sign({.common_name = "prometheus", .for_client = true});
  CHECK(fetch(setup.request_as(http, good)).body.find("cert=CN=prometheus\n") != std::string::npos);
  const auto stranger = setup.authority.sign({.common_name = "prometheus", .for_client = true});
  CHECK(fetch(setup.request_as(http, stranger)).status == 0);
}

TEST_CASE("any certificate will do when it is only required, and its name counts for nothing") {
  const TlsSetup setup;
  const HttpFixture http(
      setup.options(std::string(kTls) + "  client_auth_type: RequireAnyClientCert\n"));
  CHECK(fetch(setup.request(http, "/echo")).status == 0);
  const auto stranger = setup.authority.sign({.common_name = "root", .for_client = true});
  const auto answer = fetch(setup.request_as(http, stranger));
  CHECK(answer.status == 200);
  CHECK(answer.body.find("cert=\n") != std::string::npos);
}

TEST_CASE("the client's alternative names are checked") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(std::string(kTls) +
                                       "  client_auth_type: RequireAndVerifyClientCert\n"
                                       "  client_ca_file: client-ca.crt\n"
                                       "  client_allowed_sans: [prom.example.com, 192.0.2.9]\n"));
  const auto status = [&](const CertificateRequest& request) {
    return fetch(setup.request_as(http, setup.clients.sign(request))).status;
  };
  CHECK(status({.common_name = "c", .dns = "prom.example.com", .for_client = true}) == 200);
  CHECK(status({.common_name = "c", .ip = "192.0.2.9", .for_client = true}) == 200);
  CHECK(status({.common_name = "c", .dns = "x.prom.example.com", .for_client = true}) == 0);
  CHECK(status({.common_name = "prom.example.com", .for_client = true}) == 0);
}

TEST_CASE("a renewed certificate is served to new connections, a broken one is not taken") {
  const TlsSetup setup;
  auto options = setup.options(kTls);
  std::mutex mutex;
  std::vector<std::string> problems;
  options.on_problem = [&](const rdmadiag::core::Error& error) {
    const std::scoped_lock lock(mutex);
    problems.push_back(error.message());
  };
  const HttpFixture http(std::move(options));
  CHECK(fetch(setup.request(http, "/metrics")).status == 200);

  // Only a certificate of another authority is trusted from here on.
  const CertificateAuthority next("next authority");
  CurlRequest request = setup.request(http, "/metrics");
  request.ca_file = setup.folder.write("next-ca.crt", next.certificate());
  CHECK(fetch(request).status == 0);
  const auto renewed = next.sign({.common_name = "second", .ip = "127.0.0.1"});
  setup.folder.write("server.key", renewed.key);
  setup.folder.write("server.crt", renewed.certificate);
  int tries = 0;
  while (fetch(request).status != 200 && tries < 10'000) {
    ++tries;
  }
  CHECK(fetch(request).status == 200);

  setup.folder.write("server.crt", "broken");
  const auto reported = [&] {
    const std::scoped_lock lock(mutex);
    return !problems.empty() && problems.back().find("holds no certificate") != std::string::npos;
  };
  for (tries = 0; !reported() && tries < 10'000; ++tries) {
    REQUIRE(fetch(request).status == 200);
  }
  CHECK(reported());
  CHECK(fetch(request).status == 200);
}

TEST_CASE("idle and half-open TLS connections do not keep a scrape out") {
  const TlsSetup setup;
  const HttpFixture http(setup.options(kTls));
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 200; ++i) {
    idle.push_back(std::make_unique<RawClient>(http.address));
    idle.back()->send(std::string_view("\x16\x03\x01", 3));
  }
  CHECK(fetch(setup.request(http, "/metrics")).status == 200);
}

TEST_CASE("a server with TLS stops with connections open") {
  const TlsSetup setup;
  HttpFixture http(setup.options(kTls));
  RawClient idle(http.address);
  CHECK(fetch(setup.request(http, "/metrics")).status == 200);
  http.server.reset();
  CHECK(idle.is_closed_by_server());
}

TEST_CASE("users are asked for their password") {
  const TlsSetup setup;
  const HttpFixture http(
      setup.options(std::string(kTls) +
                    "basic_auth_users:\n  alice: "
                    "$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n"
                    "http_server_config: {headers: {Strict-Transport-Security: max-age=1}}\n"));
  auto request = setup.request(http, "/echo");
  const auto missing = fetch(request);
  CHECK(missing.status == 401);
  CHECK(missing.header("www-authenticate").starts_with("Basic "));
  CHECK(missing.header("strict-transport-security") == "max-age=1");
  request.user = "alice:wrong";
  CHECK(fetch(request).status == 401);
  CHECK(fetch(request).status == 401);
  request.user = "mallory:secret";
  CHECK(fetch(request).status == 401);
  request.user = "alice:secret";
  for (int i = 0; i < 3; ++i) {
    const auto answer = fetch(request);
    CHECK(answer.status == 200);
    CHECK(answer.body.find("user=alice ") != std::string::npos);
    CHECK(answer.header("strict-transport-security") == "max-age=1");
  }
  request.url = http.url("/nothing");
  request.user.clear();
  CHECK(fetch(request).status == 401);
}

TEST_CASE("a certificate that does not match its key stops the start") {
  const TlsSetup setup;
  setup.folder.write("server.key", setup.authority.sign({.common_name = "other"}).key);
  auto options = setup.options(kTls);
  options.listen_addresses = {"127.0.0.1:0"};
  const rdmadiag::core::SystemClock clock;
  const auto server = HttpServer::start(std::move(options), {}, clock);
  REQUIRE_FALSE(server);
  CHECK(server.error().message().find("does not match key") != std::string::npos);
}
