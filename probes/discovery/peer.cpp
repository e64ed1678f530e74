#include "probes/discovery/peer.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMaxHost = 253;
constexpr std::size_t kMaxLabel = 128;

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_ipv6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    const std::string_view inner = host.substr(1, host.size() - 2);
    return host.ends_with(']') && inner.find(':') != inner.npos &&
           std::all_of(inner.begin(), inner.end(), is_ipv6_character);
  }
  return !host.empty() && host.size() <= kMaxHost && host.front() != '.' &&
         std::all_of(host.begin(), host.end(), is_host_character);
}

}  // namespace

std::optional<std::string> parse_peer_address(std::string_view text, std::uint16_t default_port) {
  std::string host = lower(text);
  std::uint16_t port = default_port;
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  if (colon != std::string::npos && (bracket == std::string::npos || colon > bracket)) {
    const char* end = host.data() + host.size();
    const auto parsed = std::from_chars(host.data() + colon + 1, end, port);
    if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0) return std::nullopt;
    host.resize(colon);
  }
  // A name server's root dot is the same host.
  if (host.size() > 1 && host.ends_with('.')) host.pop_back();
  if (!is_host(host)) return std::nullopt;
  return host + ":" + std::to_string(port);
}

bool set_peer_label(Peer& peer, std::string_view name, std::string_view value) {
  std::string* field = name == "leaf"       ? &peer.leaf
                       : name == "rail"     ? &peer.rail
                       : name == "pod"      ? &peer.pod
                       : name == "instance" ? &peer.id
                                            : nullptr;
  if (field == nullptr || (value.empty() && field == &peer.id)) return true;
  const bool clean = std::none_of(value.begin(), value.end(),
                                  [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (value.size() > kMaxLabel || !clean) return false;
  *field = value;
  return true;
}

}  // namespace rdmadiag::probes
