// Stand-ins for what identifies a site: the same original always gets the same stand-in, in order
// of appearance, and an original cannot be computed from it. What the readers of a capture reason
// about is kept: link-local stays link-local, a /24 or /64 stays one, an all-zero GUID stays zero.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::cli {

class Pseudonyms {
 public:
  // A node, port or interface identifier. Those made from a MAC address stay so.
  std::uint64_t eui64(std::uint64_t original);
  std::uint64_t mac(std::uint64_t original);
  std::uint64_t subnet_prefix(std::uint64_t original);  // the upper half of a GID or IPv6 address
  std::uint32_t ipv4(std::uint32_t original);           // host byte order
  core::Gid gid(const core::Gid& original);
  std::uint32_t lid(std::uint32_t original);
  std::uint32_t pid(std::uint32_t original);

  // "netdev1" for the first name of kind "netdev". Names are known from then on to rewrite().
  std::string name(std::string_view kind, const std::string& original);
  [[nodiscard]] const std::string* known_name(std::string_view original) const;

  // Free text with every address in it, and every name known so far, replaced.
  std::string rewrite(std::string_view text);

 private:
  std::string rewrite_word(std::string_view word);
  std::string rewrite_names(std::string_view text) const;

  std::map<std::uint64_t, std::uint64_t> eui64_;
  std::map<std::uint64_t, std::uint64_t> prefixes_;
  std::map<std::uint32_t, std::uint32_t> networks_;  // by /24
  std::map<std::uint32_t, std::uint32_t> addresses_;
  std::map<std::uint32_t, std::uint32_t> hosts_in_network_;
  std::map<std::uint32_t, std::uint32_t> lids_;
  std::map<std::uint32_t, std::uint32_t> pids_;
  std::map<std::string, std::string, std::less<>> names_;
  std::map<std::string, int, std::less<>> names_of_kind_;
};

}  // namespace rdmadiag::cli
