// The control channel's JSON. Read field by field with bounds, since what comes from a peer is
// hostile until it was checked.
#pragma once

#include <string>
#include <string_view>

#include "agent/core/result.h"
#include "probes/endpoint.h"
#include "probes/rc_exchange.h"

namespace rdmadiag::probes {

inline constexpr std::size_t kMaxRnics = 64;       // of one agent
inline constexpr std::size_t kMaxNameBytes = 128;  // of a host, device or label
inline constexpr std::size_t kMaxControlBytes = 64 * 1024;

[[nodiscard]] std::string encode_endpoints(const AgentEndpoints& agent);
// The error names the field.
[[nodiscard]] core::Result<AgentEndpoints> decode_endpoints(std::string_view json);

// POST /api/v1/rc: the NIC `from` ("host/device") asks `device`'s `port` for a connection.
struct RcOffer {
  std::string from;
  std::string device;
  std::uint32_t port = 1;
  RcParameters parameters;

  friend bool operator==(const RcOffer&, const RcOffer&) = default;
};
[[nodiscard]] std::string encode_rc_offer(const RcOffer& offer);
[[nodiscard]] core::Result<RcOffer> decode_rc_offer(std::string_view json);
// Its answer.
[[nodiscard]] std::string encode_rc_parameters(const RcParameters& parameters);
[[nodiscard]] core::Result<RcParameters> decode_rc_parameters(std::string_view json);

}  // namespace rdmadiag::probes
