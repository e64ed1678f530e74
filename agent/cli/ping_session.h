// Probes to one peer, as `ping` sees them. The real sessions (ping_verbs.cpp) own queue pairs and a
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "probes/endpoint.h"
#include "probes/pending.h"
#include "probes/probe_key.h"
#include "probes/rc_exchange.h"
#include "probes/rc_record.h"

namespace rdmadiag::cli {

// Our port and the peer's.
struct PingPath {
  std::string device;  // ours
  std::uint8_t port = 1;
  std::string peer;  // "host/device"
  probes::RnicEndpoint remote;
  std::uint32_t remote_epoch = 0;
  std::uint8_t traffic_class = 0;  // DSCP << 2
};

struct PingRequest {
  PingPath path;
  probes::ProbeKey key;  // shared with the peer's agent
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::chrono::nanoseconds timeout = std::chrono::milliseconds(500);
  std::uint64_t count = 0;  // probes; 0: without an end
  std::uint32_t labels = 8;
};

class PingSession {
 public:
  virtual ~PingSession() = default;
  // What was decided since the last call. A lost probe is decided up to five seconds late.
  [[nodiscard]] virtual std::vector<probes::DecidedProbe> take() = 0;
  // Why nothing can be sent; empty while all is well.
  [[nodiscard]] virtual std::string problem() const = 0;
};

// A message that has not completed by then is lost. A NIC gives up on its own after seven tries,
// within 2 s.
constexpr std::chrono::seconds kRcPingCompletion{8};

struct RcPingRequest {
  PingPath path;
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  probes::RcOperation operation = probes::RcOperation::kSend;
  probes::RcService service = probes::RcService::kReliable;
};

class RcPingSession {
 public:
  virtual ~RcPingSession() = default;
  // What happened since the last call.
  [[nodiscard]] virtual std::vector<probes::RcRecord> take() = 0;
  // To be put to the peer's agent; what it said, or that it cannot be asked, goes to answered().
  [[nodiscard]] virtual std::vector<probes::RcRequest> take_requests() = 0;
  virtual void answered(std::uint64_t id, const core::Result<probes::RcParameters>& answer) = 0;
  // Why nothing can be sent; empty while all is well.
  [[nodiscard]] virtual std::string problem() const = 0;
};

}  // namespace rdmadiag::cli
