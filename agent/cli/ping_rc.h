// `ping --rc` and `--uc`: messages over a connection to one peer, and what became of each.
#pragma once

#include <chrono>
#include <cstdint>

#include "agent/cli/ping_peer.h"
#include "agent/cli/world.h"
#include "probes/rc_exchange.h"

namespace rdmadiag::cli {

struct RcPingOptions {
  PingWishes wishes;
  std::chrono::nanoseconds interval = std::chrono::seconds(1);
  std::uint64_t count = 0;  // 0: until interrupted
  bool quiet = false;
  probes::RcOperation operation = probes::RcOperation::kSend;
  probes::RcService service = probes::RcService::kReliable;
};

// The exit code.
[[nodiscard]] int ping_connection(const RcPingOptions& options, Context& context);

}  // namespace rdmadiag::cli
