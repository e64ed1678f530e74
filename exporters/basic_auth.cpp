#include "exporters/basic_auth.h"

#include <crypt.h>
#include <sodium.h>
#include <strings.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kMaxKnown = 64;
constexpr std::size_t kMaxHeader = 1024;

// An unknown user is checked against somebody's hash, to take as long as a known one.
std::string_view hash_of(const BasicAuth::Users& users, const std::string& user) {
  const auto found = users.find(user);
  return found == users.end() ? users.begin()->second : found->second;
}

}  // namespace

std::optional<Credentials> parse_basic_credentials(std::string_view header) {
  constexpr std::string_view kScheme = "Basic ";
  if (header.size() > kMaxHeader || header.size() < kScheme.size() ||
      strncasecmp(header.data(), kScheme.data(), kScheme.size()) != 0) {
    return std::nullopt;
  }
  header.remove_prefix(kScheme.size());
  std::string text(header.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(text.data()), text.size(), header.data(),
                        header.size(), nullptr, &size, nullptr,
                        sodium_base64_VARIANT_ORIGINAL) != 0) {
    return std::nullopt;
  }
  text.resize(size);
  const std::size_t colon = text.find(':');
  // crypt() would stop at a NUL and accept a password by its beginning.
  if (colon == std::string::npos || text.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  return Credentials{text.substr(0, colon), text.substr(colon + 1)};
}

BasicAuth::BasicAuth() {
  // It fails only where the kernel has no randomness, and then nothing in this process is safe.
  if (sodium_init() < 0) {
    std::abort();
  }
  randombytes_buf(key_.data(), key_.size());
}

std::optional<bool> BasicAuth::recall(const Users& users, const Credentials& credentials) {
  const Digest wanted = digest(hash_of(users, credentials.user), credentials);
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(wanted);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

bool BasicAuth::verify(const Users& users, const Credentials& credentials) {
  const std::string hash(hash_of(users, credentials.user));
  const auto scratch = std::make_unique<crypt_data>();
  const char* computed = crypt_r(credentials.password.c_str(), hash.c_str(), scratch.get());
  const bool accepted = computed != nullptr && std::string_view(computed).size() == hash.size() &&
                        sodium_memcmp(computed, hash.data(), hash.size()) == 0 &&
                        users.contains(credentials.user);
  sodium_memzero(scratch.get(), sizeof *scratch);
  remember(digest(hash, credentials), accepted);
  return accepted;
}

// Keyed, so that what is looked up cannot be steered; lengths first, so that no two differ only in
// where one part ends.
BasicAuth::Digest BasicAuth::digest(std::string_view hash, const Credentials& credentials) const {
  Digest out{};
  crypto_generichash_state state{};
  crypto_generichash_init(&state, key_.data(), key_.size(), out.size());
  for (const std::string_view part :
       {std::string_view(credentials.user), hash, std::string_view(credentials.password)}) {
    const std::size_t size = part.size();
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(&size), sizeof size);
    crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(part.data()), size);
  }
  crypto_generichash_final(&state, out.data(), out.size());
  return out;
}

void BasicAuth::remember(const Digest& digest, bool accepted) {
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMaxKnown) {
    // Guesses go first: they must not push out who has the right password.
    std::erase_if(known_, [](const auto& entry) { return !entry.second; });
  }
  if (known_.size() >= kMaxKnown) {
    known_.clear();
  }
  known_[digest] = accepted;
}

}  // namespace rdmadiag::exporters
