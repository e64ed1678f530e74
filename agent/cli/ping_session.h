// Probes to one peer, as `ping` sees them. The real session (ping_verbs.cpp) owns queue pairs and a
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "probes/pending.h"
#include "probes/probe_key.h"
#include "probes/prober.h"

namespace rdmadiag::cli {

struct PingRequest {
  std::string device;  // ours
  std::uint8_t port = 1;
  std::string peer;  // "host/device"
  probes::PeerEndpoint endpoint;
  probes::ProbeKey key;  // shared with the peer's agent
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::chrono::nanoseconds timeout = std::chrono::milliseconds(500);
  std::uint32_t labels = 8;
  std::uint8_t traffic_class = 0;
};

class PingSession {
 public:
  virtual ~PingSession() = default;
  // What was decided since the last call. A lost probe is decided up to five seconds late.
  [[nodiscard]] virtual std::vector<probes::DecidedProbe> take() = 0;
  // Why nothing can be sent; empty while all is well.
  [[nodiscard]] virtual std::string problem() const = 0;
};

}  // namespace rdmadiag::cli
