// What a client sends that is ours to read: the request target, Accept-Encoding, Authorization, and
// the listen address of the command line.
#include <cstdlib>
#include <string>
#include <string_view>

#include "exporters/basic_auth.h"
#include "exporters/gzip.h"
#include "exporters/http_target.h"
#include "exporters/listen.h"

using namespace rdmadiag::exporters;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_target(std::string_view text) {
  const auto target = parse_http_target(text);
  if (!target) return;
  require(target->path.size() <= text.size());
  require(target->path.find('\0') == std::string::npos);
  require(target->query.size() <= 64);
  for (const auto& [key, value] : target->query) {
    require(key.size() + value.size() <= text.size());
    require(key.find('\0') == std::string::npos && value.find('\0') == std::string::npos);
  }
}

void check_listen_address(std::string_view text) {
  const auto address = parse_listen_address(text);
  if (!address) {
    require(!address.error().message().empty());
    return;
  }
  const bool is_v6 = address->host.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + address->host + "]" : address->host;
  const auto again = parse_listen_address(host + ":" + std::to_string(address->port));
  require(again && again->host == address->host && again->port == address->port);
}

void check_credentials(std::string_view text) {
  const auto credentials = parse_basic_credentials(text);
  if (!credentials) return;
  require(credentials->user.find(':') == std::string::npos);
  require(credentials->user.find('\0') == std::string::npos);
  require(credentials->password.find('\0') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_target(text);
  check_listen_address(text);
  check_credentials(text);
  check_credentials("Basic " + std::string(text));
  (void)accepts_gzip(text);
  return 0;
}
