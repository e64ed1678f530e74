// Stored netlink messages (tests/fixtures/netlink) and what the tests of every decoder do to them:
// cut them, put their attributes in another order, add unknown ones.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/host/netlink_codec.h"

namespace rdmadiag::test {

struct NetlinkCase {
  std::vector<std::byte> datagram;
  nlohmann::json expected;

  // Of the only, or the i-th, message.
  [[nodiscard]] host::Bytes payload(std::size_t i = 0) const;
};

// Throws when fixtures/netlink/FILE.json has no such case.
[[nodiscard]] NetlinkCase netlink_case(const std::string& file, const std::string& name);

// Which attribute types hold attributes; those marked as nested by the kernel always do.
using NestTypes = std::vector<std::uint16_t>;

// The same attributes at every level, last one first.
[[nodiscard]] std::vector<std::byte> reversed(host::Bytes attributes, const NestTypes& nests);
// An attribute of a type no kernel has, before, between and after those of every level.
[[nodiscard]] std::vector<std::byte> with_unknown(host::Bytes attributes, const NestTypes& nests);

// Calls `decode` with every shorter beginning of `bytes`, each in memory of exactly that size so
// that the address sanitizer sees a read beyond; `decode` gives true when it took the bytes for a
// whole message. Returns the lengths that were taken.
[[nodiscard]] std::vector<std::size_t> lengths_taken(
    host::Bytes bytes, const std::function<bool(host::Bytes)>& decode);
// Where a cut leaves whole attributes at the top level.
[[nodiscard]] std::vector<std::size_t> attribute_ends(host::Bytes attributes);

}  // namespace rdmadiag::test
