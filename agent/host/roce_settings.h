// How RoCE is set up on a port, from the files where drivers and stacks show it. Nothing is written
// and no configfs directory made; what cannot be read is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/snapshot.h"
#include "agent/host/device_source.h"

namespace rdmadiag::host {

// "Global tclass=106", perhaps among other lines; plain "106" too.
[[nodiscard]] std::optional<int> parse_traffic_class(std::string_view text);

// Empty when nothing is shown. Files that we may not read become issues.
[[nodiscard]] std::optional<core::RoceSettings> read_roce_settings(const DeviceContext& context,
                                                                   std::uint32_t port,
                                                                   const std::string& netdev,
                                                                   IssueLog& issues);

// The vendor's class/net/IF/qos/trust: "dscp" or "pcp".
[[nodiscard]] std::optional<core::Trust> read_trust_file(const DeviceContext& context,
                                                         const std::string& netdev);

}  // namespace rdmadiag::host
