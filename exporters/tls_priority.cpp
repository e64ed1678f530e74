#include "exporters/tls_priority.h"

#include <gnutls/gnutls.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace rdmadiag::exporters {
namespace {

struct Suite {
  std::string name;
  gnutls_kx_algorithm_t exchange = GNUTLS_KX_UNKNOWN;
  gnutls_cipher_algorithm_t cipher = GNUTLS_CIPHER_UNKNOWN;
  gnutls_mac_algorithm_t mac = GNUTLS_MAC_UNKNOWN;

  // TLS 1.3 suites say nothing about the key exchange.
  [[nodiscard]] bool is_tls13() const {
    return exchange == GNUTLS_KX_UNKNOWN || name.starts_with("TLS_AES_") ||
           name.starts_with("TLS_CHACHA20_");
  }
};

std::vector<Suite> known_suites() {
  std::vector<Suite> suites;
  for (std::size_t i = 0;; ++i) {
    std::array<unsigned char, 2> id{};
    Suite suite;
    gnutls_protocol_t lowest = GNUTLS_VERSION_UNKNOWN;
    const char* name =
        gnutls_cipher_suite_info(i, id.data(), &suite.exchange, &suite.cipher, &suite.mac, &lowest);
    if (name == nullptr) {
      return suites;
    }
    suite.name = name;
    suites.push_back(std::move(suite));
  }
}

// Go writes TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA and …_WITH_CHACHA20_POLY1305_SHA256 where GnuTLS has
// TLS_ECDHE_RSA_AES_128_CBC_SHA1 and …_CHACHA20_POLY1305.
std::string gnutls_name(std::string name) {
  const std::size_t with = name.find("WITH_");
  if (with == std::string::npos) {
    return name;
  }
  name.erase(with, 5);
  if (name.ends_with("_CHACHA20_POLY1305_SHA256")) {
    name.erase(name.size() - 7);
  }
  return name.ends_with("_SHA") ? name + "1" : name;
}

bool has_aead(const std::vector<Suite>& suites) {
  return std::any_of(suites.begin(), suites.end(), [](const Suite& suite) {
    return suite.mac == GNUTLS_MAC_AEAD || suite.is_tls13();
  });
}

core::Result<std::vector<Suite>> chosen_suites(const std::vector<std::string>& names) {
  const std::vector<Suite> known = known_suites();
  std::vector<Suite> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const Suite& suite) {
      return suite.name == gnutls_name(name);
    });
    if (found == known.end()) {
      return core::fail("tls_server_config.cipher_suites: unknown cipher suite " + name);
    }
    chosen.push_back(*found);
  }
  const auto uses = [&](const Suite& suite, auto member) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Suite& one) {
      return !one.is_tls13() && one.*member == suite.*member;
    });
  };
  for (const Suite& suite : known) {
    const bool allowed = !suite.is_tls13() && uses(suite, &Suite::exchange) &&
                         uses(suite, &Suite::cipher) && uses(suite, &Suite::mac);
    const bool listed = std::any_of(chosen.begin(), chosen.end(),
                                    [&](const Suite& one) { return one.name == suite.name; });
    if (allowed && !listed) {
      return core::fail("tls_server_config.cipher_suites: the combination would also allow " +
                        suite.name + "; list it too, or leave out what leads to it");
    }
  }
  return chosen;
}

void add_once(std::string& priority, const std::string& item) {
  if ((priority + ":").find(":" + item + ":") == std::string::npos) {
    priority += ":" + item;
  }
}

std::string suite_items(const std::vector<Suite>& suites) {
  std::string items;
  for (const Suite& suite : suites) {
    add_once(items, std::string("+") + gnutls_cipher_get_name(suite.cipher));
    add_once(items, suite.is_tls13() ? "+AEAD" : std::string("+") + gnutls_mac_get_name(suite.mac));
    if (!suite.is_tls13()) {
      add_once(items, std::string("+") + gnutls_kx_get_name(suite.exchange));
    }
  }
  return items;
}

core::Result<std::string> curve_items(const std::vector<std::string>& names) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kCurves = {{
      {"CurveP256", "GROUP-SECP256R1"},
      {"CurveP384", "GROUP-SECP384R1"},
      {"CurveP521", "GROUP-SECP521R1"},
      {"X25519", "GROUP-X25519"},
  }};
  std::string items;
  for (const std::string& name : names) {
    const auto* found = std::find_if(kCurves.begin(), kCurves.end(),
                                     [&](const auto& curve) { return curve.first == name; });
    if (found == kCurves.end()) {
      return core::fail("tls_server_config.curve_preferences: unknown curve " + name +
                        "; known are CurveP256, CurveP384, CurveP521, X25519");
    }
    add_once(items, "+" + std::string(found->second));
  }
  return items;
}

}  // namespace

core::Result<std::string> tls_priority(const TlsServerConfig& config) {
  constexpr std::array<std::string_view, 4> kVersions = {"+VERS-TLS1.0", "+VERS-TLS1.1",
                                                         "+VERS-TLS1.2", "+VERS-TLS1.3"};
  auto curves = curve_items(config.curve_preferences);
  auto suites = chosen_suites(config.cipher_suites);
  if (!curves || !suites) {
    return tl::make_unexpected(curves ? std::move(suites.error()) : std::move(curves.error()));
  }
  std::string priority = "SECURE128:-RSA:-VERS-ALL";
  if (!suites->empty()) {
    if (config.max_version == TlsVersion::kTls13 && !has_aead(*suites)) {
      return core::fail(
          "tls_server_config.cipher_suites: leaves no cipher for TLS 1.3; set max_version: TLS12");
    }
    priority += ":-KX-ALL:-CIPHER-ALL:-MAC-ALL" + suite_items(*suites);
  }
  for (auto version = static_cast<std::size_t>(config.min_version);
       version <= static_cast<std::size_t>(config.max_version); ++version) {
    priority += ":" + std::string(kVersions.at(version));
  }
  if (!curves->empty()) {
    priority += ":-GROUP-ALL" + *curves;
  }
  return config.prefer_server_cipher_suites ? priority + ":%SERVER_PRECEDENCE" : priority;
}

}  // namespace rdmadiag::exporters
