// What an agent tells others about its RNICs, so that they can probe them (GET /api/v1/endpoints).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/core/enums.h"
#include "agent/core/snapshot.h"
#include "probes/prober.h"

namespace rdmadiag::probes {

struct RnicEndpoint {
  std::string device;
  std::uint32_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;
  std::string leaf;
  std::string rail;
  std::string pod;
  core::Gid gid{};
  std::uint16_t lid = 0;
  std::uint32_t qpn = 0;  // of the responder; 0: it answers no datagrams
  std::uint32_t qkey = 0;
  int mtu_bytes = 0;
  std::string problem;  // why it cannot be probed; empty when it can

  [[nodiscard]] PeerEndpoint target(std::uint32_t epoch) const {
    return {.address = {.gid = gid, .lid = lid, .qpn = qpn, .qkey = qkey}, .epoch = epoch};
  }
  friend bool operator==(const RnicEndpoint&, const RnicEndpoint&) = default;
};

struct AgentEndpoints {
  std::string host;
  std::uint32_t epoch = 0;  // random at each start
  std::vector<RnicEndpoint> rnics;

  friend bool operator==(const AgentEndpoints&, const AgentEndpoints&) = default;
};

// "host/device", with the port where it is not the first: how probes, peers and metrics name an
// RNIC.
[[nodiscard]] inline std::string nic_name(const std::string& host, const std::string& device,
                                          std::uint32_t port) {
  return host + "/" + device + (port == 1 ? "" : "/" + std::to_string(port));
}

}  // namespace rdmadiag::probes
