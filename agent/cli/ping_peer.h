// Whom `ping` probes and from where: the peer's agent is asked for its NICs, this host for a device
// of the same kind, the daemon's configuration for the key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/agent_client.h"
#include "agent/cli/ping_session.h"
#include "agent/cli/world.h"
#include "agent/core/enums.h"

namespace rdmadiag::cli {

struct OwnPort {
  std::string device;
  std::uint32_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;
};

// The active ones; without a device's name those of all. An error when there is none.
[[nodiscard]] core::Result<std::vector<OwnPort>> active_ports(const Context& context,
                                                              const std::string& device);

// Of `file`; of the daemon's configuration when it is empty. At least one.
[[nodiscard]] core::Result<std::vector<probes::ProbeKey>> shared_keys(const World& world,
                                                                      const std::string& file);

struct PingWishes {
  std::string peer;  // "host[:port][/device]"
  probes::HttpClientTls tls;
  std::string device;    // ours; empty: the first that fits
  std::string key_file;  // empty: that of the daemon's configuration
  std::optional<int> dscp;
};

// What the peer must be able to do.
enum class PingKind : std::uint8_t { kDatagrams, kConnection };

struct PingPeer {
  AgentClient agent;
  PingPath path;
};

// The error says what is missing and, where there is one, the way out.
[[nodiscard]] core::Result<PingPeer> find_ping_peer(const Context& context,
                                                    const PingWishes& wishes, PingKind kind);

}  // namespace rdmadiag::cli
