#include "exporters/tls_priority.h"

#include <gnutls/gnutls.h>

#include <catch2/catch.hpp>
#include <set>

using namespace rdmadiag::exporters;

namespace {

// What a server with this configuration would agree to, by GnuTLS' own account.
std::set<std::string> suites_of(const TlsServerConfig& config) {
  const auto text = tls_priority(config);
  REQUIRE(text);
  CAPTURE(*text);
  gnutls_priority_t priority = nullptr;
  REQUIRE(gnutls_priority_init(&priority, text->c_str(), nullptr) == GNUTLS_E_SUCCESS);
  std::set<std::string> names;
  for (unsigned i = 0;; ++i) {
    unsigned index = 0;
    const int rc = gnutls_priority_get_cipher_suite_index(priority, i, &index);
    if (rc == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE) {
      break;
    }
    if (rc == GNUTLS_E_SUCCESS) {
      names.insert(gnutls_cipher_suite_info(index, nullptr, nullptr, nullptr, nullptr, nullptr));
    }
  }
  gnutls_priority_deinit(priority);
  return names;
}

std::string error_of(const TlsServerConfig& config) {
  const auto text = tls_priority(config);
  return text ? "fine" : text.error().message();
}

}  // namespace

TEST_CASE("by default only TLS 1.2 and 1.3 with forward secrecy") {
  const auto text = tls_priority({});
  REQUIRE(text);
  CHECK(text->find("VERS-TLS1.2:+VERS-TLS1.3") != std::string::npos);
  CHECK(text->find("VERS-TLS1.1") == std::string::npos);
  CHECK(text->ends_with(":%SERVER_PRECEDENCE"));
  const auto suites = suites_of({});
  CHECK(suites.contains("TLS_AES_128_GCM_SHA256"));
  CHECK(suites.contains("TLS_ECDHE_RSA_AES_128_GCM_SHA256"));
  CHECK_FALSE(suites.contains("TLS_RSA_AES_128_GCM_SHA256"));
}

TEST_CASE("listed suites are allowed and no others") {
  TlsServerConfig config;
  config.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"};
  CHECK(suites_of(config) == std::set<std::string>{"TLS_AES_256_GCM_SHA384",
                                                   "TLS_ECDHE_ECDSA_AES_256_GCM_SHA384",
                                                   "TLS_ECDHE_RSA_AES_256_GCM_SHA384"});
  config.max_version = TlsVersion::kTls12;
  config.cipher_suites = {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"};
  CHECK(suites_of(config) == std::set<std::string>{"TLS_ECDHE_RSA_AES_128_CBC_SHA1"});
}

TEST_CASE("every suite that Go calls secure is known") {
  for (const char* name :
       {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
        "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"}) {
    TlsServerConfig config;
    config.max_version =
        std::string(name).ends_with("_SHA") ? TlsVersion::kTls12 : TlsVersion::kTls13;
    config.cipher_suites = {name};
    CHECK(error_of(config) == "fine");
  }
}

TEST_CASE("lists that mean something else than they say are refused") {
  TlsServerConfig config;
  config.cipher_suites = {"TLS_INVENTED"};
  CHECK(error_of(config) == "tls_server_config.cipher_suites: unknown cipher suite TLS_INVENTED");
  config.cipher_suites = {"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"};
  CHECK(error_of(config).starts_with(
      "tls_server_config.cipher_suites: the combination would also allow TLS_ECDHE_"));
  config.cipher_suites = {"TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"};
  CHECK(error_of(config) ==
        "tls_server_config.cipher_suites: leaves no cipher for TLS 1.3; set max_version: TLS12");
}

TEST_CASE("curves are those of the list") {
  TlsServerConfig config;
  config.curve_preferences = {"CurveP384", "X25519"};
  CHECK(tls_priority(config)->find("-GROUP-ALL:+GROUP-SECP384R1:+GROUP-X25519") !=
        std::string::npos);
  config.curve_preferences = {"P-256"};
  CHECK(error_of(config) ==
        "tls_server_config.curve_preferences: unknown curve P-256; known are CurveP256, "
        "CurveP384, CurveP521, X25519");
}
