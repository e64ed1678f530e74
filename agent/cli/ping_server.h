// `ping --server`: answers pings on a host that has no agent, by the same control channel.
#pragma once

#include <string>

#include "agent/cli/world.h"

namespace rdmadiag::cli {

struct PingServerOptions {
  std::string listen;      // "host:port" or ":port"
  std::string web_file;    // TLS and users, in the format of the daemon's; empty: plain HTTP
  std::string device;      // empty: all
  std::string key_file;    // empty: that of the daemon's configuration
  bool one_sided = false;  // whether peers may write to and read from a buffer of their connection
};

// Until interrupted. The exit code: 3 when there was nothing to answer with.
[[nodiscard]] int serve_pings(const PingServerOptions& options, Context& context);

}  // namespace rdmadiag::cli
