// DCB netlink (RTM_GETDCB) as bytes. Pure. Layouts: include/uapi/linux/dcbnl.h; structs in the
// host's byte order.
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

inline constexpr std::uint16_t kRtmGetDcb = 78;
inline constexpr std::uint8_t kDcbIeeeGet = 21;
inline constexpr std::uint8_t kDcbModeGet = 22;  // GDCBX

// Payload of a request, struct dcbmsg included.
[[nodiscard]] std::vector<std::byte> dcb_request(std::uint8_t command, std::string_view netdev);

// PFC frames by priority as the driver counts them. Some drivers leave zeros, or a stale cache: the
// caller decides whether to believe it.
struct PfcCounts {
  core::PerPriority<std::uint64_t> requests{};     // sent
  core::PerPriority<std::uint64_t> indications{};  // received
};

struct DcbReply {
  core::DcbSnapshot dcb;
  std::optional<PfcCounts> counts;
};

// Of an IEEE_GET reply; parts the driver does not have stay empty. `payload` begins with struct
// dcbmsg.
[[nodiscard]] core::Result<DcbReply> decode_dcb_ieee(Bytes payload);
[[nodiscard]] core::Result<int> decode_dcb_mode(Bytes payload);

// Which field a packet's priority is taken from, by the trust table (6.12), else by what drivers do
// with DSCP entries of the application table: mlx5 trusts DSCP when and only when there are any.
void learn_trust(std::string_view netdev_driver, core::DcbSnapshot& dcb);

}  // namespace rdmadiag::host
