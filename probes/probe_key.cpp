#include "probes/probe_key.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>

#include "agent/core/unique_fd.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMaxFileBytes = 4096;
constexpr std::size_t kMaxKeys = 16;

core::Result<ProbeKey> parse_line(std::string_view line) {
  ProbeKey key;
  unsigned id = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id);
  const auto used = static_cast<std::size_t>(end - line.data());
  if (error != std::errc{} || id <= kLocalKeyId || id >= kInsecureKeyId) {
    return core::fail("expected a key id from 1 to 254");
  }
  const std::size_t start = line.find_first_not_of(" \t", used);
  const std::string_view hex = start == std::string_view::npos ? "" : line.substr(start);
  std::size_t decoded = 0;
  const char* stopped = nullptr;
  const int failed = sodium_hex2bin(key.secret.data(), key.secret.size(), hex.data(), hex.size(),
                                    nullptr, &decoded, &stopped);
  if (start == used || failed != 0 || decoded != key.secret.size() ||
      stopped != hex.data() + hex.size()) {
    return core::fail("expected 32 hexadecimal digits after the key id");
  }
  key.id = static_cast<std::uint8_t>(id);
  return key;
}

std::string_view trimmed(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

void KeyRing::set_shared(const std::vector<ProbeKey>& shared) {
  keys_.resize(1);
  keys_.insert(keys_.end(), shared.begin(), shared.end());
}

std::optional<ProbeKey> KeyRing::shared() const {
  if (keys_.size() < 2) return std::nullopt;
  return keys_[1];
}

const ProbeKey* KeyRing::find(std::uint8_t id) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [id](const ProbeKey& key) { return key.id == id; });
  return found == keys_.end() ? nullptr : &*found;
}

ProbeKey make_local_key() {
  ProbeKey key{.id = kLocalKeyId};
  randombytes_buf(key.secret.data(), key.secret.size());
  return key;
}

ProbeKey insecure_key() {
  ProbeKey key{.id = kInsecureKeyId};
  std::copy_n("rdmadiag insecur", key.secret.size(), key.secret.begin());
  return key;
}

core::Result<std::vector<ProbeKey>> parse_key_file(std::string_view text) {
  if (text.size() > kMaxFileBytes) return core::fail("key file larger than 4096 bytes");
  std::vector<ProbeKey> keys;
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string where = "line " + std::to_string(++line_number) + ": ";
    if (line.empty()) continue;
    const auto key = parse_line(line);
    if (!key) return core::fail(where + key.error().what);
    const bool repeated = std::any_of(keys.begin(), keys.end(),
                                      [&](const ProbeKey& other) { return other.id == key->id; });
    if (repeated) return core::fail(where + "key id " + std::to_string(key->id) + " repeated");
    if (keys.size() == kMaxKeys) return core::fail(where + "more than 16 keys");
    keys.push_back(*key);
  }
  if (keys.empty()) return core::fail("no key in it; expected lines of \"ID HEX\"");
  return keys;
}

core::Result<std::vector<ProbeKey>> read_key_file(const std::filesystem::path& path) {
  const std::string what = "key file " + path.string();
  const core::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return core::errno_error(errno, what);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return core::errno_error(errno, what);
  if (!S_ISREG(status.st_mode)) return core::fail(what + ": not a regular file");
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return core::fail(what + ": readable by group or others; chmod 600 it");
  }
  std::string text(kMaxFileBytes + 1, '\0');
  const ssize_t count = ::read(fd.get(), text.data(), text.size());
  if (count < 0) return core::errno_error(errno, what);
  text.resize(static_cast<std::size_t>(count));
  auto keys = parse_key_file(text);
  sodium_memzero(text.data(), text.size());
  if (!keys) return core::fail(what + ": " + keys.error().what);
  return keys;
}

}  // namespace rdmadiag::probes
