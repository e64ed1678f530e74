// Kernel and verbs enumerations with their numbers and words. Every set is open: a number the table
// does not know is carried as it is and prints as its number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::core {

enum class LinkLayer : std::uint8_t { kUnknown, kInfiniband, kEthernet };

// What runs on the wire, from RDMA netlink (DEV_PROTOCOL) or deduced from node type and link layer.
enum class Protocol : std::uint8_t {
  kUnknown,
  kInfiniband,
  kRoce,
  kIwarp,
  kOmniPath,
  kUsnic,
  kEfa
};

enum class GidType : std::uint8_t { kUnknown, kIb, kRoceV1, kRoceV2 };

// include/uapi/rdma/ib_user_verbs.h and drivers/infiniband/core/sysfs.c
inline constexpr int kPortStateActive = 4;
inline constexpr int kPhysStateLinkUp = 5;

[[nodiscard]] std::string port_state_name(int state);      // "ACTIVE"; "7" when unknown
[[nodiscard]] std::string physical_state_name(int state);  // "LinkUp"; "9" when unknown
[[nodiscard]] std::string node_type_name(int node_type);   // "CA", "RNIC"; "9" when unknown
[[nodiscard]] std::string qp_state_name(int state);        // "RTS"; "9" when unknown
[[nodiscard]] std::string qp_type_name(int type);          // "RC"; "42" when unknown
[[nodiscard]] std::string_view link_layer_name(
    LinkLayer value);  // "InfiniBand", "Ethernet", "Unknown"
[[nodiscard]] std::string_view protocol_name(Protocol value);  // "ib", "roce", "iwarp", …
[[nodiscard]] std::string_view gid_type_name(GidType value);   // "ib", "roce_v1", "roce_v2"

[[nodiscard]] LinkLayer parse_link_layer(std::string_view text);
// RDMA netlink's words (ib, iw, roce, opa, usnic) and those of protocol_name().
[[nodiscard]] Protocol parse_protocol(std::string_view text);

}  // namespace rdmadiag::core
