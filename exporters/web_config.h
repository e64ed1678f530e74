// The exporter-toolkit's web configuration file (TLS, client certificates, users, headers, rate
// limit), so that one file serves every exporter on a host. Read strictly: what is not understood
// is an error, since a misread key here means an open door.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/result.h"
#include "exporters/http_message.h"

namespace rdmadiag::exporters {

enum class ClientAuth { kNone, kRequest, kRequireAny, kVerifyIfGiven, kRequireAndVerify };
enum class TlsVersion { kTls10, kTls11, kTls12, kTls13 };

// PEM text and where it came from, for messages: a path, or the key that held it.
struct PemText {
  std::string name;
  std::string text;
};

struct TlsServerConfig {
  PemText certificate;
  PemText key;
  std::optional<PemText> client_ca;
  ClientAuth client_auth = ClientAuth::kNone;
  std::vector<std::string> client_allowed_sans;
  TlsVersion min_version = TlsVersion::kTls12;
  TlsVersion max_version = TlsVersion::kTls13;
  std::vector<std::string> cipher_suites;  // Go's names, as the format has it
  std::vector<std::string> curve_preferences;
  bool prefer_server_cipher_suites = true;
};

struct RateLimit {
  std::chrono::nanoseconds interval{0};  // between two requests; 0 is no limit
  std::size_t burst = 0;
};

struct WebConfig {
  std::optional<TlsServerConfig> tls;
  bool wants_http2 = false;  // asked for by name; this server speaks HTTP/1.1 only
  HttpFields headers;
  std::map<std::string, std::string> users;  // name to bcrypt hash
  RateLimit rate_limit;
  std::vector<std::filesystem::path> files;  // everything that was read, this file first
};

// Reads the file and those it names (relative ones beside it). The error has a line for each
// problem, with file:line:key.
[[nodiscard]] core::Result<WebConfig> load_web_config(const std::filesystem::path& file);

// The same from text, for files in `folder`; `name` is what messages call it.
[[nodiscard]] core::Result<WebConfig> parse_web_config(std::string_view text, std::string_view name,
                                                       const std::filesystem::path& folder);

}  // namespace rdmadiag::exporters
