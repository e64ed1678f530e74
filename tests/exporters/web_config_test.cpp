#include "exporters/web_config.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "tests/exporters/temp_folder.h"

using namespace rdmadiag::exporters;

namespace {

constexpr const char* kHash = "$2y$10$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW";

std::string error_of(const std::string& text, const std::filesystem::path& folder = "/nowhere") {
  const auto config = parse_web_config(text, "web.yml", folder);
  return config ? "fine" : config.error().message();
}

}  // namespace

TEST_CASE("an empty file asks for nothing") {
  for (const char* text : {"", "# nothing\n", "tls_server_config: {}\nbasic_auth_users:\n"}) {
    const auto config = parse_web_config(text, "web.yml", "/nowhere");
    REQUIRE(config);
    CHECK_FALSE(config->tls);
    CHECK(config->users.empty());
    CHECK(config->headers.empty());
    CHECK(config->rate_limit.interval.count() == 0);
  }
}

TEST_CASE("the whole format is read") {
  const TempFolder folder;
  folder.write("server.crt", "CERT");
  folder.write("server.key", "KEY");
  folder.write("ca.crt", "CA");
  const auto path = folder.write("web.yml", std::string(R"(
tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ca.crt
  client_allowed_sans: [prometheus.example.com, 192.0.2.9]
  min_version: TLS12
  max_version: TLS13
  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
  prefer_server_cipher_suites: false
  curve_preferences: [X25519, CurveP256]
http_server_config:
  http2: true
  headers:
    Strict-Transport-Security: max-age=31536000
    X-Frame-Options: deny
    X-XSS-Protection: ""
basic_auth_users:
  alice: )") + kHash + R"(
rate_limit:
  interval: 1s
  burst: 20
)");
  const auto config = load_web_config(path);
  REQUIRE(config);
  const TlsServerConfig& tls = *config->tls;
  CHECK(tls.certificate.text == "CERT");
  CHECK(tls.certificate.name == (folder.path() / "server.crt").string());
  CHECK(tls.key.text == "KEY");
  CHECK(tls.client_ca->text == "CA");
  CHECK(tls.client_auth == ClientAuth::kRequireAndVerify);
  CHECK(tls.client_allowed_sans.size() == 2);
  CHECK_FALSE(tls.prefer_server_cipher_suites);
  CHECK(tls.curve_preferences == std::vector<std::string>{"X25519", "CurveP256"});
  CHECK(config->wants_http2);
  CHECK(config->headers ==
        HttpFields{{"X-Frame-Options", "deny"}, {"Strict-Transport-Security", "max-age=31536000"}});
  CHECK(config->users == std::map<std::string, std::string>{{"alice", kHash}});
  CHECK(config->rate_limit.interval == std::chrono::seconds(1));
  CHECK(config->rate_limit.burst == 20);
  REQUIRE(config->files.size() == 4);
  CHECK(config->files.front() == path);
}

TEST_CASE("certificates may stand in the file") {
  const auto config = parse_web_config("tls_server_config:\n  cert: |\n    A\n    B\n  key: K\n",
                                       "web.yml", "/nowhere");
  REQUIRE(config);
  CHECK(config->tls->certificate.text == "A\nB\n");
  CHECK(config->tls->certificate.name == "tls_server_config.cert");
  CHECK(config->tls->key.text == "K");
  CHECK(config->tls->client_auth == ClientAuth::kNone);
}

TEST_CASE("each mistake has its line") {
  CHECK(error_of("tls_server_confg: {}") ==
        "web.yml:1: tls_server_confg: unknown key (did you mean tls_server_config?)");
  CHECK(error_of("\nbasic_auth_users: {}\nbasic_auth_users: {}") ==
        "web.yml:3: basic_auth_users: duplicate key, first on line 2");
  CHECK(error_of("tls_server_config: {key: k}") ==
        "web.yml:1: tls_server_config.cert_file: is missing");
  CHECK(error_of("tls_server_config: {cert: c}") ==
        "web.yml:1: tls_server_config.key_file: is missing");
  CHECK(error_of("tls_server_config: {cert: c, cert_file: f, key: k}") ==
        "web.yml:1: tls_server_config.cert_file: excludes cert: give one of the two");
  CHECK(error_of("tls_server_config: {cert_file: none.crt, key: k}") ==
        "web.yml:1: tls_server_config.cert_file: reading /nowhere/none.crt: "
        "No such file or directory");
  CHECK(error_of("tls_server_config: {cert: c, key: k, client_ca: a}") ==
        "web.yml:1: tls_server_config.client_ca: has no effect without client_auth_type");
  CHECK(error_of("tls_server_config: {cert: c, key: k, client_auth_type: "
                 "RequireAndVerifyClientCert}") ==
        "web.yml:1: tls_server_config.client_auth_type: needs client_ca_file to verify against");
  CHECK(error_of("tls_server_config: {cert: c, key: k, client_allowed_sans: [a]}") ==
        "web.yml:1: tls_server_config.client_allowed_sans: needs client_auth_type "
        "RequireAnyClientCert or RequireAndVerifyClientCert");
  CHECK(error_of("tls_server_config:\n  cert: c\n  key: k\n  min_version: TLS13\n"
                 "  max_version: TLS12") ==
        "web.yml:4: tls_server_config.min_version: is above max_version");
  CHECK(error_of("http_server_config: {headers: {X-Frame-Options: ALLOW}}") ==
        "web.yml:1: http_server_config.headers.X-Frame-Options: wants deny or sameorigin");
  CHECK(error_of("http_server_config: {headers: {X-Content-Type-Options: sniff}}") ==
        "web.yml:1: http_server_config.headers.X-Content-Type-Options: wants nosniff");
  CHECK(error_of("http_server_config: {headers: {X-XSS-Protection: \"a\\nb\"}}") ==
        "web.yml:1: http_server_config.headers.X-XSS-Protection: must be one line");
  CHECK(error_of("rate_limit: {interval: 1s}") ==
        "web.yml:1: rate_limit.burst: wants at least 1, or no request would ever pass");
  CHECK(error_of("a: 1\nb: 2\nc: 3") ==
        "web.yml:1: a: unknown key\nweb.yml:2: b: unknown key\nweb.yml:3: c: unknown key");
}

TEST_CASE("a client authentication or version that is none is refused") {
  CHECK(error_of("tls_server_config: {client_auth_type: Always}").find("client_auth_type: wants") !=
        std::string::npos);
  CHECK(error_of("tls_server_config: {min_version: SSL3}").find("min_version: wants") !=
        std::string::npos);
}

TEST_CASE("a user has a bcrypt hash, and messages never show it") {
  const auto error = [](const std::string& hash) {
    return error_of("basic_auth_users:\n  alice: '" + hash + "'\n");
  };
  CHECK(error(kHash) == "fine");
  const std::string wanted =
      "web.yml:1: basic_auth_users: alice: wants a bcrypt hash, as htpasswd -nBC 10 \"\" prints it";
  CHECK(error("secret") == wanted);
  CHECK(error("$2x$10$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW") == wanted);
  CHECK(error("$2y$1x$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW") == wanted);
  CHECK(error("$2y$03$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW") == wanted);
  CHECK(error("$6$abc$def") == wanted);
  CHECK(error(std::string(kHash) + "x") == wanted);
  CHECK(error("$2y$15$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW") ==
        "web.yml:1: basic_auth_users: alice: bcrypt cost 15 is above 14");
  CHECK(error_of(std::string("basic_auth_users: {'a:b': '") + kHash + "'}") ==
        "web.yml:1: basic_auth_users: a user name is not empty and has no colon");
}

TEST_CASE("files that are no files are refused without blocking") {
  const TempFolder folder;
  CHECK(load_web_config(folder.path() / "none.yml").error().message() ==
        "reading " + (folder.path() / "none.yml").string() + ": No such file or directory");
  CHECK(load_web_config(folder.path()).error().message() ==
        "reading " + folder.path().string() + ": not a regular file");
  const auto fifo = folder.path() / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(load_web_config(fifo).error().message() ==
        "reading " + fifo.string() + ": not a regular file");
  const auto large = folder.write("large.yml", std::string((1 << 20) + 1, '#'));
  CHECK(load_web_config(large).error().message() ==
        "reading " + large + ": larger than 1048576 bytes");
}
