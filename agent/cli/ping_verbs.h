// `ping` over the real libibverbs.
#pragma once

#include <memory>

#include "agent/cli/ping_session.h"

namespace rdmadiag::cli {

// Both begin at once; whether the device can be used shows in problem().
[[nodiscard]] std::unique_ptr<PingSession> open_ping(const PingRequest& request);
[[nodiscard]] std::unique_ptr<RcPingSession> open_rc_ping(const RcPingRequest& request);

}  // namespace rdmadiag::cli
