// Discovery as the configuration asks for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/daemon/own_addresses.h"
#include "config/config.h"
#include "probes/directory.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::daemon {

// `self` is what etcd is told of this agent. Entries of peers.static that are no addresses were
// refused with the configuration.
[[nodiscard]] std::vector<std::unique_ptr<probes::PeerSource>> make_peer_sources(
    const config::Peers& peers, const probes::Peer& self);

// This agent as others know it.
[[nodiscard]] probes::Peer self_peer(const std::string& hostname, const OwnAddresses& addresses,
                                     const config::Config& config);

[[nodiscard]] probes::HttpClientTls client_tls(const config::ClientTls& tls);

}  // namespace rdmadiag::daemon
