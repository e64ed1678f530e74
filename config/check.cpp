#include "config/check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <regex>
#include <system_error>

namespace rdmadiag::config {
namespace {

constexpr std::size_t kLongestRegex = 512;

std::optional<std::string> check_regex(std::string_view text) {
  if (text.size() > kLongestRegex)
    return "a regular expression longer than " + std::to_string(kLongestRegex) + " bytes";
  try {
    const std::regex compiled{std::string(text)};
  } catch (const std::regex_error& error) {
    return std::string("is not a regular expression: ") + error.what();
  }
  return std::nullopt;
}

std::optional<std::string> check_url(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const bool host_follows = text.size() > scheme.size() && text[scheme.size()] != '/';
    const bool blank = text.find_first_of(" \t\r\n") != std::string_view::npos;
    if (text.starts_with(scheme) && host_follows && !blank) return std::nullopt;
  }
  return "wants a URL like https://host/path";
}

std::optional<std::string> check_address(std::string_view text) {
  constexpr std::string_view kWanted = "wants host:port or host";
  if (text.empty() || text.find_first_of("/ \t\r\n@,\"") != std::string_view::npos)
    return std::string(kWanted);
  std::string_view rest = text;
  if (text.front() == '[') {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end == 1) return std::string(kWanted);
    rest = text.substr(end + 1);
    if (rest.empty()) return std::nullopt;
    if (rest.front() != ':') return std::string(kWanted);
  } else if (std::count(text.begin(), text.end(), ':') > 1) {
    return "wants an IPv6 address in brackets, [address]:port";
  }
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view port = rest.substr(colon + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool whole = error == std::errc{} && end == port.data() + port.size();
  if (!whole || number < 1 || number > 65535) return "wants a port from 1 to 65535";
  return colon == 0 && text.front() != '[' ? std::optional(std::string(kWanted)) : std::nullopt;
}

std::optional<std::string> check_link_layer(std::string_view text) {
  if (text == "infiniband" || text == "ethernet" || text == "iwarp") return std::nullopt;
  return "wants infiniband, ethernet or iwarp";
}

std::optional<std::string> check_pattern(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? "" : text.substr(0, slash);
  if (folder.find_first_of("*?[") != std::string_view::npos)
    return "wants patterns in the last component only";
  for (const std::string_view suffix : {".json", ".yml", ".yaml"})
    if (text.ends_with(suffix)) return std::nullopt;
  return "wants a name that ends in .json, .yml or .yaml";
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

}  // namespace

std::optional<std::string> check_file(const std::filesystem::path& path, bool secret) {
  // O_NONBLOCK: a FIFO in the place of a file must not hold up the start.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return path.string() + ": " + reason_of(errno);
  struct stat status {};
  const int failed = fstat(fd, &status);
  close(fd);
  if (failed != 0 || !S_ISREG(status.st_mode)) return path.string() + ": is not a regular file";
  constexpr mode_t kOthers = S_IRWXO | S_IWGRP;
  if (secret && (status.st_mode & kOthers) != 0)
    return path.string() + ": holds a secret and is open to others (chmod 600)";
  return std::nullopt;
}

std::optional<std::string> check_text(std::string_view text, TextKind kind) {
  switch (kind) {
    case TextKind::kPlain:
    case TextKind::kFile:
    case TextKind::kSecretFile: return std::nullopt;
    case TextKind::kFilePattern: return check_pattern(text);
    case TextKind::kRegex: return check_regex(text);
    case TextKind::kUrl: return check_url(text);
    case TextKind::kAddress: return check_address(text);
    case TextKind::kLinkLayer: return check_link_layer(text);
  }
  return std::nullopt;
}

std::optional<std::string> check_label_name(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool digit_first = !name.empty() && name.front() >= '0' && name.front() <= '9';
  if (name.empty() || digit_first || !std::all_of(name.begin(), name.end(), is_word))
    return "is not a label name (letters, digits and _)";
  if (name.starts_with("__")) return "is not a label name (__ is Prometheus' own)";
  return std::nullopt;
}

}  // namespace rdmadiag::config
