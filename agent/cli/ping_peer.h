// Whom `ping` probes and from where: the peer's agent is asked for its queue pairs, this host for a
// device of the same kind, the daemon's configuration for the key.
#pragma once

#include <optional>
#include <string>

#include "agent/cli/agent_client.h"
#include "agent/cli/ping_session.h"
#include "agent/cli/world.h"

namespace rdmadiag::cli {

struct PingWishes {
  std::string peer;  // "host[:port][/device]"
  probes::HttpClientTls tls;
  std::string device;    // ours; empty: the first that fits
  std::string key_file;  // empty: that of the daemon's configuration
  std::optional<int> dscp;
};

// The error says what is missing and, where there is one, the way out.
[[nodiscard]] core::Result<PingRequest> make_ping_request(const Context& context,
                                                          const PingWishes& wishes);

}  // namespace rdmadiag::cli
