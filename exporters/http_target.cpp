#include "exporters/http_target.h"

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kMaxParameters = 64;

enum class Plus { kIsItself, kIsSpace };

core::Result<std::string> decode(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      std::uint8_t byte = 0;
      const char* digits = text.data() + i + 1;
      if (text.size() - i < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
        return core::fail("bad escape in the request target");
      }
      c = static_cast<char>(byte);
      i += 2;
    } else if (c == '+' && plus == Plus::kIsSpace) {
      c = ' ';
    }
    if (c == '\0') {
      return core::fail("NUL in the request target");
    }
    out += c;
  }
  return out;
}

core::Status parse_parameter(std::string_view text, HttpFields& query) {
  if (text.empty()) {
    return {};
  }
  if (query.size() == kMaxParameters) {
    return core::fail("too many query parameters");
  }
  const std::size_t equals = text.find('=');
  auto key = decode(text.substr(0, equals), Plus::kIsSpace);
  if (!key) {
    return tl::make_unexpected(std::move(key.error()));
  }
  auto value = decode(equals == text.npos ? "" : text.substr(equals + 1), Plus::kIsSpace);
  if (!value) {
    return tl::make_unexpected(std::move(value.error()));
  }
  query.emplace_back(std::move(*key), std::move(*value));
  return {};
}

}  // namespace

core::Result<HttpTarget> parse_http_target(std::string_view target) {
  const std::size_t question = target.find('?');
  auto path = decode(target.substr(0, question), Plus::kIsItself);
  if (!path) {
    return tl::make_unexpected(std::move(path.error()));
  }
  HttpTarget out{std::move(*path), {}};
  std::string_view rest = question == target.npos ? "" : target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t ampersand = rest.find('&');
    if (auto ok = parse_parameter(rest.substr(0, ampersand), out.query); !ok) {
      return tl::make_unexpected(std::move(ok.error()));
    }
    rest = ampersand == rest.npos ? "" : rest.substr(ampersand + 1);
  }
  return out;
}

}  // namespace rdmadiag::exporters
