#include "agent/cli/pseudonyms.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

namespace rdmadiag::cli {
namespace {

constexpr std::uint64_t kLinkLocal = 0xfe80'0000'0000'0000;
constexpr std::uint64_t kDocumentation = 0x2001'0db8'0000'0000;  // RFC 3849
constexpr std::uint32_t kBenchmarking = 0xc612'0000;             // 198.18.0.0/15, RFC 2544
constexpr std::uint64_t kUniversalBit = 0x0200'0000'0000'0000;
constexpr std::uint32_t kFirstMulticastLid = 0xc000;

// How many stand-ins a kind has; beyond that they repeat, which no host comes near.
constexpr std::uint64_t kMaxIdentifiers = 0xff'ffff;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(char c) { return is_alnum(c) || c == ':' || c == '.'; }

template <class Map, class Key>
auto& next(Map& map, const Key& key) {
  const auto [entry, fresh] = map.try_emplace(key, 0);
  if (fresh) entry->second = static_cast<typename Map::mapped_type>(map.size());
  return entry->second;
}

// `groups` groups of exactly `digits` hexadecimal digits, as one number each.
std::optional<std::vector<std::uint64_t>> hex_groups(std::string_view text, std::size_t groups,
                                                     std::size_t digits) {
  if (text.size() != groups * (digits + 1) - 1) return std::nullopt;
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at < text.size(); at += digits + 1) {
    std::uint64_t value = 0;
    const char* end = text.data() + at + digits;
    if (std::from_chars(text.data() + at, end, value, 16).ptr != end) return std::nullopt;
    if (at + digits < text.size() && text[at + digits] != ':') return std::nullopt;
    values.push_back(value);
  }
  return values;
}

std::uint64_t join(const std::vector<std::uint64_t>& groups, std::size_t first, std::size_t count,
                   unsigned bits) {
  std::uint64_t value = 0;
  for (std::size_t i = first; i < first + count; ++i) value = (value << bits) | groups[i];
  return value;
}

std::string colon_hex(std::uint64_t value, unsigned groups, unsigned bits) {
  std::string out;
  for (unsigned group = groups; group-- > 0;) {
    std::array<char, 20> text{};
    std::snprintf(text.data(), text.size(), "%0*llx", static_cast<int>(bits / 4),
                  static_cast<unsigned long long>((value >> (group * bits)) &
                                                  ((std::uint64_t{1} << bits) - 1)));
    out += (out.empty() ? "" : ":") + std::string(text.data());
  }
  return out;
}

core::Gid gid_from(std::uint64_t upper, std::uint64_t lower) {
  core::Gid gid{};
  for (unsigned i = 0; i < 8; ++i) {
    gid[i] = static_cast<std::uint8_t>(upper >> (56 - 8 * i));
    gid[8 + i] = static_cast<std::uint8_t>(lower >> (56 - 8 * i));
  }
  return gid;
}

std::pair<std::uint64_t, std::uint64_t> halves(const core::Gid& gid) {
  std::uint64_t upper = 0;
  std::uint64_t lower = 0;
  for (unsigned i = 0; i < 8; ++i) {
    upper = (upper << 8) | gid[i];
    lower = (lower << 8) | gid[8 + i];
  }
  return {upper, lower};
}

}  // namespace

std::uint64_t Pseudonyms::eui64(std::uint64_t original) {
  if (original == 0 || original == UINT64_MAX) return original;
  const bool from_mac = ((original >> 24) & 0xffff) == 0xfffe;
  const std::uint64_t number = next(eui64_, original) % kMaxIdentifiers;
  return kUniversalBit | (from_mac ? 0x0000'00ff'fe00'0000 : 0) | number;
}

std::uint64_t Pseudonyms::mac(std::uint64_t original) {
  if (original == 0 || original == 0xffff'ffff'ffff) return original;
  const std::uint64_t upper = (original >> 24) << 40;
  const std::uint64_t identifier =
      (upper ^ kUniversalBit) | 0x0000'00ff'fe00'0000 | (original & 0xff'ffff);
  return eui64(identifier) & 0xff'ffff;
}

std::uint64_t Pseudonyms::subnet_prefix(std::uint64_t original) {
  if (original == 0 || original == kLinkLocal || original >> 56 == 0xff) return original;
  return kDocumentation | (next(prefixes_, original) & 0xffff'ffff);
}

std::uint32_t Pseudonyms::ipv4(std::uint32_t original) {
  const std::uint32_t top = original >> 24;
  if (top == 0 || top == 127 || top >= 224) return original;
  const auto known = addresses_.find(original);
  if (known != addresses_.end()) return known->second;
  const std::uint32_t network = original >> 8;
  const std::uint32_t host = ++hosts_in_network_[network] % 254 + 1;
  const bool link_local = original >> 16 == 0xa9fe;
  const std::uint32_t base = link_local ? 0xa9fe'0000 : kBenchmarking;
  const std::uint32_t stand_in =
      base + ((next(networks_, network) & (link_local ? 0xff : 0x1ff)) << 8) + host;
  addresses_.emplace(original, stand_in);
  return stand_in;
}

core::Gid Pseudonyms::gid(const core::Gid& original) {
  const auto [upper, lower] = halves(original);
  if (upper == 0 && lower >> 32 == 0xffff) {
    return gid_from(0, (lower & ~std::uint64_t{0xffff'ffff}) |
                           ipv4(static_cast<std::uint32_t>(lower & 0xffff'ffff)));
  }
  if (upper == 0 && lower <= 1) return original;
  return gid_from(subnet_prefix(upper), eui64(lower));
}

std::uint32_t Pseudonyms::lid(std::uint32_t original) {
  if (original == 0 || original >= kFirstMulticastLid) return original;
  return next(lids_, original);
}

std::uint32_t Pseudonyms::pid(std::uint32_t original) {
  return original == 0 ? 0 : 1000 + next(pids_, original);
}

std::string Pseudonyms::name(std::string_view kind, const std::string& original) {
  if (original.empty()) return original;  // names nothing, and would be found everywhere in a text
  const auto known = names_.find(original);
  if (known != names_.end()) return known->second;
  const int number = ++names_of_kind_[std::string(kind)];
  return names_.emplace(original, std::string(kind) + std::to_string(number)).first->second;
}

const std::string* Pseudonyms::known_name(std::string_view original) const {
  const auto found = names_.find(original);
  return found == names_.end() ? nullptr : &found->second;
}

// A run of letters, digits, colons and dots that may be an address as a whole.
std::string Pseudonyms::rewrite_word(std::string_view word) {
  if (const auto groups = hex_groups(word, 8, 4)) {
    const auto [upper, lower] =
        halves(gid(gid_from(join(*groups, 0, 4, 16), join(*groups, 4, 4, 16))));
    return colon_hex(upper, 4, 16) + ":" + colon_hex(lower, 4, 16);
  }
  if (const auto groups = hex_groups(word, 4, 4)) {
    return colon_hex(eui64(join(*groups, 0, 4, 16)), 4, 16);
  }
  if (const auto groups = hex_groups(word, 6, 2)) {
    return colon_hex(mac(join(*groups, 0, 6, 8)), 6, 8);
  }
  const std::string text(word);
  std::array<char, INET6_ADDRSTRLEN> out{};
  if (in_addr v4{}; inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    v4.s_addr = htonl(ipv4(ntohl(v4.s_addr)));
    return inet_ntop(AF_INET, &v4, out.data(), out.size());
  }
  if (core::Gid v6{};
      text.find(':') != std::string::npos && inet_pton(AF_INET6, text.c_str(), v6.data()) == 1) {
    v6 = gid(v6);
    return inet_ntop(AF_INET6, v6.data(), out.data(), out.size());
  }
  const bool prefixed = text.starts_with("0x");
  if (text.size() == (prefixed ? 18u : 16u)) {
    const auto groups = hex_groups(word.substr(prefixed ? 2 : 0), 1, 16);
    const bool number = std::all_of(text.begin(), text.end(), [](char c) { return c <= '9'; });
    if (groups && (prefixed || !number)) {
      return (prefixed ? "0x" : "") + colon_hex(eui64(groups->front()) >> 32, 1, 32) +
             colon_hex(eui64(groups->front()) & 0xffff'ffff, 1, 32);
    }
  }
  return text;
}

std::string Pseudonyms::rewrite_names(std::string_view text) const {
  const auto stands_alone = [&](std::size_t at, std::size_t size) {
    const auto joins = [](char c) { return is_alnum(c) || c == '_'; };
    return (at == 0 || !joins(text[at - 1])) &&
           (at + size == text.size() || !joins(text[at + size]));
  };
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::pair<const std::string, std::string>* longest = nullptr;
    for (const auto& entry : names_) {
      const std::string& original = entry.first;
      if (text.substr(at, original.size()) == original && stands_alone(at, original.size()) &&
          (longest == nullptr || original.size() > longest->first.size())) {
        longest = &entry;
      }
    }
    if (longest != nullptr) {
      out += longest->second;
      at += longest->first.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

std::string Pseudonyms::rewrite(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    // "10.0.0.1:" and "10.0.0.1." at the end of a clause.
    while (end > at + 1 && !is_alnum(text[end - 1]) && text.substr(end - 2, 2) != "::") --end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    const std::size_t colon = word.find(':');
    std::string stand_in = rewrite_word(word);
    if (stand_in == word && colon != std::string_view::npos) {  // "10.0.0.1:10915"
      stand_in = rewrite_word(word.substr(0, colon)) + std::string(word.substr(colon));
    }
    out += stand_in;
    at = end;
  }
  return rewrite_names(out);
}

}  // namespace rdmadiag::cli
