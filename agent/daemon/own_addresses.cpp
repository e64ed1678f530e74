#include "agent/daemon/own_addresses.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <utility>

namespace rdmadiag::daemon {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::optional<std::string> spelled(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    const auto* in = reinterpret_cast<const sockaddr_in*>(address);
    inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size());
    return text.data();
  }
  if (address->sa_family == AF_INET6) {
    const auto* in6 = reinterpret_cast<const sockaddr_in6*>(address);
    inet_ntop(AF_INET6, &in6->sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]";
  }
  return std::nullopt;
}

std::pair<std::string, std::string> split(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {address, {}};
  return {address.substr(0, colon), address.substr(colon + 1)};
}

}  // namespace

OwnAddresses::OwnAddresses(std::string hostname, const std::vector<std::string>& listening)
    : hostname_(lower(std::move(hostname))) {
  for (const std::string& address : listening) {
    const std::string port = split(address).second;
    if (!port.empty() && std::ranges::find(ports_, port) == ports_.end()) ports_.push_back(port);
  }
  hosts_ = {hostname_, hostname_.substr(0, hostname_.find('.')), "localhost"};
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (auto text = spelled(entry->ifa_addr)) hosts_.insert(std::move(*text));
  }
}

bool OwnAddresses::contains(const std::string& address) const {
  const auto [host, port] = split(lower(address));
  return hosts_.contains(host) && std::ranges::find(ports_, port) != ports_.end();
}

std::string OwnAddresses::advertised() const {
  return ports_.empty() ? std::string() : hostname_ + ":" + ports_.front();
}

}  // namespace rdmadiag::daemon
