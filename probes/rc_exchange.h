// What the two ends of a connection tell each other before it can be made, over the control
// channel: the prober posts an RcRequest to its peer, whose RcAcceptor answers with RcParameters.
// Plain data; what comes from a peer is checked by whoever decodes it.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/snapshot.h"

namespace rdmadiag::probes {

// What the prober does each interval. The one-sided ones touch a buffer of the peer's that exists
// for this connection alone.
enum class RcOperation : std::uint8_t { kSend, kWrite, kRead };

// Of the queue pairs. Unreliable ones are not acknowledged by the NIC: the peer's agent sends the
// message back.
enum class RcService : std::uint8_t { kReliable, kUnreliable };

struct RcParameters {
  core::Gid gid{};        // on iWARP an IP address of the port, IPv4 as IPv4-mapped
  std::uint16_t lid = 0;  // InfiniBand
  std::uint32_t qpn = 0;  // 24 bits; on iWARP no more than a name
  std::uint32_t psn = 0;  // 24 bits: of the first packet this end will send
  int mtu_bytes = 0;      // active MTU of this end's port
  std::uint32_t epoch = 0;

  // What the prober wants; the answer repeats it.
  RcOperation operation = RcOperation::kSend;
  RcService service = RcService::kReliable;

  // Only in answers for one-sided operations; 0 otherwise.
  std::uint64_t memory_address = 0;
  std::uint32_t memory_key = 0;

  // Only in answers on iWARP; 0 otherwise. Where to connect to with rdma_cm, and what to say there.
  std::uint16_t cm_port = 0;
  std::uint64_t cm_token = 0;

  friend bool operator==(const RcParameters&, const RcParameters&) = default;
};

// To be posted to `peer`; what comes back goes to RcProber::answered with the same id.
struct RcRequest {
  std::string peer;  // "host/device"
  std::uint64_t id = 0;
  RcParameters local;
};

}  // namespace rdmadiag::probes
