// HTTP basic authentication against bcrypt hashes. Hashing costs tens of milliseconds by design, so
// its results are remembered (as keyed digests, in memory only): a scraper pays once.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::exporters {

struct Credentials {
  std::string user;
  std::string password;
};

// Reads an Authorization header (RFC 7617). Empty on another scheme, bad base64, no colon or NUL.
[[nodiscard]] std::optional<Credentials> parse_basic_credentials(std::string_view header);

// Any thread.
class BasicAuth {
 public:
  using Users = std::map<std::string, std::string>;

  BasicAuth();

  // What verify() would say, when it is known without hashing. There is at least one user.
  [[nodiscard]] std::optional<bool> recall(const Users& users, const Credentials& credentials);
  // Takes as long for an unknown user as for a wrong password.
  [[nodiscard]] bool verify(const Users& users, const Credentials& credentials);

 private:
  using Digest = std::array<unsigned char, 32>;
  [[nodiscard]] Digest digest(std::string_view hash, const Credentials& credentials) const;
  void remember(const Digest& digest, bool accepted);

  Digest key_{};
  std::mutex mutex_;
  std::map<Digest, bool> known_;
};

}  // namespace rdmadiag::exporters
