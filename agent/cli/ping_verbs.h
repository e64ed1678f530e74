// `ping` over the real libibverbs.
#pragma once

#include <memory>

#include "agent/cli/ping_session.h"

namespace rdmadiag::cli {

// Begins at once; whether the device can be used shows in problem().
[[nodiscard]] std::unique_ptr<PingSession> open_ping(const PingRequest& request);

}  // namespace rdmadiag::cli
