#include "exporters/web_config.h"

#include <crypt.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <utility>

#include "agent/core/strict_reader.h"
#include "exporters/bounded_file.h"

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kMaxPem = std::size_t{256} * 1024;
constexpr std::size_t kMaxUsers = 256;
constexpr int kMinBcryptCost = 4;
// At 14 one password takes about a second; above that a stop would have to wait for it.
constexpr int kMaxBcryptCost = 14;

constexpr std::array<std::string_view, 6> kClientAuthWords = {"NoClientCert",
                                                              "RequestClientCert",
                                                              "RequireAnyClientCert",
                                                              "VerifyClientCertIfGiven",
                                                              "RequireAndVerifyClientCert",
                                                              "RequireClientCert"};
constexpr std::array<ClientAuth, 6> kClientAuthValues = {
    ClientAuth::kNone,          ClientAuth::kRequest,          ClientAuth::kRequireAny,
    ClientAuth::kVerifyIfGiven, ClientAuth::kRequireAndVerify, ClientAuth::kRequireAny};
constexpr std::array<std::string_view, 4> kVersionWords = {"TLS10", "TLS11", "TLS12", "TLS13"};

struct Context {
  const std::filesystem::path& folder;
  core::Problems& problems;
  WebConfig& config;
};

// The PEM behind `<key>_file`, or inline behind `<key>`.
std::optional<PemText> read_pem(core::MapReader& reader, const std::string& key, Context& context) {
  const std::string file_key = key + "_file";
  std::string inline_text;
  std::string file;
  reader.text(key, inline_text, kMaxPem);
  reader.text(file_key, file);
  if (!inline_text.empty() && !file.empty()) {
    reader.problem(file_key, "excludes " + key + ": give one of the two");
    return std::nullopt;
  }
  if (file.empty()) {
    return inline_text.empty() ? std::nullopt
                               : std::optional(PemText{reader.path_of(key), inline_text});
  }
  const std::filesystem::path path = context.folder / file;
  context.config.files.push_back(path);
  auto text = read_bounded_file(path, kMaxPem);
  if (!text) {
    reader.problem(file_key, text.error().message());
    return std::nullopt;
  }
  return PemText{path.string(), std::move(*text)};
}

TlsVersion read_version(core::MapReader& reader, std::string_view key, TlsVersion standard) {
  auto index = static_cast<std::size_t>(standard);
  reader.word(key, index, kVersionWords);
  return static_cast<TlsVersion>(index);
}

void check_client_auth(core::MapReader& reader, const TlsServerConfig& tls) {
  const bool requires_one = tls.client_auth == ClientAuth::kRequireAny ||
                            tls.client_auth == ClientAuth::kRequireAndVerify;
  const bool verifies = tls.client_auth == ClientAuth::kVerifyIfGiven ||
                        tls.client_auth == ClientAuth::kRequireAndVerify;
  if (verifies && !tls.client_ca) {
    reader.problem("client_auth_type", "needs client_ca_file to verify against");
  }
  if (tls.client_ca && tls.client_auth == ClientAuth::kNone) {
    reader.problem(reader.has("client_ca_file") ? "client_ca_file" : "client_ca",
                   "has no effect without client_auth_type");
  }
  if (!tls.client_allowed_sans.empty() && !requires_one) {
    reader.problem("client_allowed_sans",
                   "needs client_auth_type RequireAnyClientCert or RequireAndVerifyClientCert");
  }
}

void read_tls(core::MapReader reader, Context& context) {
  const std::size_t problems_before = context.problems.size();
  TlsServerConfig tls;
  auto certificate = read_pem(reader, "cert", context);
  auto key = read_pem(reader, "key", context);
  tls.client_ca = read_pem(reader, "client_ca", context);
  std::size_t auth = 0;
  reader.word("client_auth_type", auth, kClientAuthWords);
  tls.client_auth = kClientAuthValues.at(auth);
  reader.text_list("client_allowed_sans", tls.client_allowed_sans);
  tls.min_version = read_version(reader, "min_version", tls.min_version);
  tls.max_version = read_version(reader, "max_version", tls.max_version);
  reader.text_list("cipher_suites", tls.cipher_suites);
  reader.text_list("curve_preferences", tls.curve_preferences);
  reader.boolean("prefer_server_cipher_suites", tls.prefer_server_cipher_suites);
  reader.reject_unknown();
  if (tls.min_version > tls.max_version) {
    reader.problem("min_version", "is above max_version");
  }
  check_client_auth(reader, tls);
  const bool enabled = certificate || key || tls.client_ca || auth != 0 ||
                       !tls.client_allowed_sans.empty() ||
                       context.problems.size() > problems_before;
  if (!enabled) {
    return;
  }
  for (const auto& [name, given] : {std::pair{"cert", &certificate}, {"key", &key}}) {
    const std::string file_key = std::string(name) + "_file";
    if (!*given && !reader.has(file_key)) {
      reader.problem(file_key, "is missing");
    }
  }
  if (certificate && key) {
    tls.certificate = std::move(*certificate);
    tls.key = std::move(*key);
    context.config.tls = std::move(tls);
  }
}

void read_headers(core::MapReader reader, WebConfig& config) {
  const auto take = [&](const std::string& name, std::initializer_list<std::string_view> words) {
    std::string value;
    reader.text(name, value);
    if (value.empty()) {
      return;
    }
    if (words.size() != 0 && std::find(words.begin(), words.end(), value) == words.end()) {
      std::string wanted;
      for (const std::string_view word : words) {
        wanted += (wanted.empty() ? "" : " or ") + std::string(word);
      }
      reader.problem(name, "wants " + wanted);
    }
    if (value.find_first_of("\r\n") != std::string::npos) {
      reader.problem(name, "must be one line");
    }
    config.headers.emplace_back(name, value);
  };
  take("Content-Security-Policy", {});
  take("X-Frame-Options", {"deny", "sameorigin"});
  take("X-Content-Type-Options", {"nosniff"});
  take("X-XSS-Protection", {});
  take("Strict-Transport-Security", {});
  reader.reject_unknown();
}

// Never quotes the hash: it is a secret, and messages go to logs.
std::optional<std::string> bcrypt_problem(const std::string& hash) {
  int cost = 0;
  const bool shaped =
      hash.size() == 60 && hash.starts_with("$2") && hash[3] == '$' &&
      (hash[2] == 'a' || hash[2] == 'b' || hash[2] == 'y') && hash[6] == '$' &&
      std::from_chars(hash.data() + 4, hash.data() + 6, cost).ptr == hash.data() + 6 &&
      cost >= kMinBcryptCost && crypt_checksalt(hash.c_str()) == CRYPT_SALT_OK;
  if (!shaped) {
    return "wants a bcrypt hash, as htpasswd -nBC 10 \"\" prints it";
  }
  if (cost > kMaxBcryptCost) {
    return "bcrypt cost " + std::to_string(cost) + " is above " + std::to_string(kMaxBcryptCost);
  }
  return std::nullopt;
}

void read_users(core::MapReader& root, Context& context) {
  root.text_map("basic_auth_users", context.config.users, kMaxUsers);
  core::Problems own;
  for (const auto& [name, hash] : context.config.users) {
    const auto wrong = bcrypt_problem(hash);
    if (wrong) {
      root.problem("basic_auth_users", name + ": " + *wrong);
    } else if (name.empty() || name.find(':') != std::string::npos) {
      root.problem("basic_auth_users", "a user name is not empty and has no colon");
    }
  }
}

void read_rate_limit(core::MapReader reader, RateLimit& limit) {
  std::int64_t burst = 0;
  reader.duration("interval", limit.interval, std::chrono::nanoseconds(0), std::chrono::hours(1));
  reader.integer("burst", burst, 0, 1'000'000);
  reader.reject_unknown();
  if (limit.interval.count() > 0 && burst == 0) {
    reader.problem("burst", "wants at least 1, or no request would ever pass");
  }
  limit.burst = static_cast<std::size_t>(burst);
}

core::Error error_of(const core::Problems& problems, std::string_view name) {
  std::string lines;
  for (const core::Problem& problem : problems) {
    lines += (lines.empty() ? "" : "\n") + core::format_problem(name, problem);
  }
  return {{}, std::move(lines)};
}

}  // namespace

core::Result<WebConfig> parse_web_config(std::string_view text, std::string_view name,
                                         const std::filesystem::path& folder) {
  const auto tree = core::parse_yaml(text);
  if (!tree) {
    return core::fail(core::format_problem(name, {tree.error().line, "", tree.error().message}));
  }
  WebConfig config;
  core::Problems problems;
  Context context{folder, problems, config};
  core::MapReader root(*tree, "", problems);
  read_tls(root.section("tls_server_config"), context);
  core::MapReader http = root.section("http_server_config");
  http.boolean("http2", config.wants_http2);
  read_headers(http.section("headers"), config);
  http.reject_unknown();
  read_users(root, context);
  read_rate_limit(root.section("rate_limit"), config.rate_limit);
  root.reject_unknown();
  if (!problems.empty()) {
    return tl::make_unexpected(error_of(problems, name));
  }
  return config;
}

core::Result<WebConfig> load_web_config(const std::filesystem::path& file) {
  auto text = read_bounded_file(file, core::YamlLimits{}.bytes);
  if (!text) {
    return tl::make_unexpected(std::move(text.error()));
  }
  auto config = parse_web_config(*text, file.string(), file.parent_path());
  if (config) {
    config->files.insert(config->files.begin(), file);
  }
  return config;
}

}  // namespace rdmadiag::exporters
