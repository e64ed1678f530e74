// Another agent, as discovery knows it, and what finds them. A source runs on a thread of its own
// and publishes whole lists; one that fails keeps its last list and disturbs no other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/result.h"
#include "probes/stop_event.h"

namespace rdmadiag::probes {

constexpr std::uint16_t kDefaultAgentPort = 10915;
// The design's largest cluster has 10,000 hosts.
constexpr std::size_t kMaxPeers = 16'384;

struct Peer {
  // Stays when the address changes: the name an agent registered itself with, or its `instance`
  // label; without either, the address.
  std::string id;
  std::string address;  // "host:port", "[2001:db8::1]:port"
  std::string leaf = {};
  std::string rail = {};
  std::string pod = {};

  bool operator==(const Peer&) const = default;
};

// What one look at a source gave: `peers` is what was right, `problem` the first thing that was
// not.
struct SourceReading {
  std::vector<Peer> peers = {};
  std::string problem = {};

  bool operator==(const SourceReading&) const = default;
};

class PeerSource {
 public:
  using Publish = std::function<void(core::Result<SourceReading>)>;

  virtual ~PeerSource() = default;
  // For messages and metrics: "file_sd /etc/rdmadiag/peers/*.json". No secrets.
  [[nodiscard]] virtual std::string name() const = 0;
  // Until `stop` is set, or until there is nothing more to learn.
  virtual void run(const StopEvent& stop, const Publish& publish) = 0;
};

// Host names in lower case, with a port. Empty when it is no address, which includes anything that
// would not fit into a URL.
[[nodiscard]] std::optional<std::string> parse_peer_address(
    std::string_view text, std::uint16_t default_port = kDefaultAgentPort);

// Sets the label when it is one that is known (leaf, rail, pod, instance); false when its value is
// over 128 bytes or holds control characters.
[[nodiscard]] bool set_peer_label(Peer& peer, std::string_view name, std::string_view value);

}  // namespace rdmadiag::probes
