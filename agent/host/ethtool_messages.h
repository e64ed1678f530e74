// ethtool's generic netlink as bytes: requests out, replies in. Pure. Layouts:
// include/uapi/linux/ethtool_netlink.h and Documentation/networking/ethtool-netlink.rst. Attributes
// in any order, unknown ones skipped; what a driver leaves out stays empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/nic.h"
#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"

namespace rdmadiag::host {

inline constexpr std::uint8_t kEthtoolLinkmodesGet = 4;
inline constexpr std::uint8_t kEthtoolLinkstateGet = 6;
inline constexpr std::uint8_t kEthtoolPauseGet = 21;
inline constexpr std::uint8_t kEthtoolFecGet = 29;
inline constexpr std::uint8_t kEthtoolModuleEepromGet = 31;
inline constexpr std::uint8_t kEthtoolStatsGet = 32;

// LINKMODES_GET and LINKSTATE_GET, in compact bitsets. They have no statistics, and the kernel
// answers EINVAL to a header that asks them for some.
[[nodiscard]] PayloadWriter ethtool_request(std::string_view netdev);
// PAUSE_GET and FEC_GET, their statistics included.
[[nodiscard]] PayloadWriter ethtool_request_with_statistics(std::string_view netdev);
// The groups eth-phy, eth-mac, eth-ctrl and rmon.
[[nodiscard]] PayloadWriter ethtool_stats_request(std::string_view netdev);

// A part of the module's memory, at most 128 bytes within one half page.
struct ModuleAddress {
  std::uint8_t i2c = 0x50;
  std::uint8_t page = 0;
  std::uint8_t bank = 0;
  std::uint8_t offset = 0;
  std::uint8_t length = 0;
};
[[nodiscard]] PayloadWriter module_eeprom_request(std::string_view netdev, const ModuleAddress& at);

// One count by the name the catalogue knows it by: "eth-mac-FrameCheckSequenceErrors",
// "pause-tx-frames", "fec-corrected-blocks", "link-ext-down-count".
struct NamedCount {
  std::string_view name;  // a literal
  std::uint64_t value = 0;
};

// Adds to `link` what each of the two tells, and counts to `counts`.
[[nodiscard]] core::Status decode_linkmodes(Bytes attributes, core::LinkDetail& link);
[[nodiscard]] core::Status decode_linkstate(Bytes attributes, core::LinkDetail& link,
                                            std::vector<NamedCount>& counts);
[[nodiscard]] core::Result<core::PauseSettings> decode_pause(Bytes attributes,
                                                             std::vector<NamedCount>& counts);
[[nodiscard]] core::Result<core::FecSettings> decode_fec(Bytes attributes,
                                                         std::vector<NamedCount>& counts);
[[nodiscard]] core::Status decode_standard_stats(Bytes attributes, std::vector<NamedCount>& counts);
// The bytes read; as many as were asked for, or an error.
[[nodiscard]] core::Result<std::vector<std::uint8_t>> decode_module_eeprom(Bytes attributes,
                                                                           std::size_t length);

}  // namespace rdmadiag::host
