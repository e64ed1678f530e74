#include "agent/core/nic.h"

#include <string_view>

namespace rdmadiag::core {
namespace {

constexpr int kSelectorDscp = 5;

// include/uapi/linux/ethtool.h, ETHTOOL_LINK_EXT_STATE_*
constexpr std::array<std::string_view, 11> kExtendedStates = {"autonegotiation",
                                                              "link training failed",
                                                              "logical mismatch",
                                                              "bad signal integrity",
                                                              "no cable",
                                                              "cable issue",
                                                              "eeprom issue",
                                                              "calibration failure",
                                                              "power budget exceeded",
                                                              "overheat",
                                                              "module"};

}  // namespace

std::string extended_state_name(int state) {
  if (state >= 0 && static_cast<std::size_t>(state) < kExtendedStates.size())
    return std::string(kExtendedStates[static_cast<std::size_t>(state)]);
  return std::to_string(state);
}

std::optional<int> DcbSnapshot::priority_of_dscp(std::uint32_t dscp) const {
  for (const DcbApplication& entry : applications)
    if (entry.selector == kSelectorDscp && entry.protocol == dscp) return entry.priority;
  return std::nullopt;
}

}  // namespace rdmadiag::core
