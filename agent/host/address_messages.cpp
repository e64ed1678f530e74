#include "agent/host/address_messages.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>

#include <array>
#include <cstring>
#include <span>

namespace rdmadiag::host {
namespace {

// Empty when the bytes are no address of that family.
std::string text_of(int family, Bytes address) {
  const std::size_t wanted = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.size() != wanted ||
      ::inet_ntop(family, address.data(), text.data(), text.size()) == nullptr)
    return "";
  return text.data();
}

}  // namespace

std::vector<std::byte> address_dump_request() {
  const ifaddrmsg header{};
  const auto bytes = std::as_bytes(std::span(&header, 1));
  return {bytes.begin(), bytes.end()};
}

core::Result<NetdevAddress> decode_address(Bytes payload) {
  ifaddrmsg header{};
  if (payload.size() < sizeof header) return core::fail("address message cut short");
  std::memcpy(&header, payload.data(), sizeof header);
  if (header.ifa_family != AF_INET && header.ifa_family != AF_INET6)
    return core::fail("address message of an unknown family");
  // Of a point-to-point link IFA_ADDRESS is the far end's, and IFA_LOCAL this one's.
  std::string local;
  std::string address;
  const bool whole = walk_attributes(payload.subspan(sizeof header), [&](const Attribute& a) {
    if (a.type == IFA_LOCAL) local = text_of(header.ifa_family, a.payload);
    if (a.type == IFA_ADDRESS) address = text_of(header.ifa_family, a.payload);
    return true;
  });
  if (!whole) return core::fail("malformed address message");
  if (local.empty()) local = address;
  if (local.empty() || header.ifa_index == 0) return core::fail("address message without address");
  return NetdevAddress{header.ifa_index, local + "/" + std::to_string(header.ifa_prefixlen)};
}

}  // namespace rdmadiag::host
