// GIDs: text form, what kind of address one is, and which of a port's GIDs probes use and why.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/core/enums.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// RFC 5952, with the dotted form for IPv4-mapped addresses: "::ffff:10.0.0.1".
[[nodiscard]] std::string format_gid(const Gid& gid);
// Accepts every IPv6 text form, sysfs's fully written one included.
[[nodiscard]] std::optional<Gid> parse_gid(std::string_view text);

[[nodiscard]] bool is_zero(const Gid& gid);
[[nodiscard]] bool is_ipv4_mapped(const Gid& gid);
[[nodiscard]] bool is_link_local(const Gid& gid);  // fe80::/10, or 169.254/16 inside an IPv4-mapped
[[nodiscard]] bool is_loopback(const Gid& gid);    // ::1, or 127/8 inside an IPv4-mapped

struct GidChoice {
  std::optional<GidEntry> entry;
  std::string reason;  // why this one, or why none
};

// Ethernet: RoCE v2, IPv4-mapped before global IPv6, link-local only when nothing else is there.
// InfiniBand and iWARP: the lowest filled index. Never a fixed index: the kernel moves addresses to
// other slots after a flap.
[[nodiscard]] GidChoice choose_gid(std::span<const GidEntry> entries, Protocol protocol);

}  // namespace rdmadiag::core
