// Whom each RNIC of this host probes, from what discovery and the control channel know: the
// pinglist, made into targets with their rates, and the agents that must be looked up for it. A
// pure function.
//
// An RNIC of the pinglist is known by its agent and its rail, or its place among the agent's RNICs:
// before an agent was looked up it is taken to have the RNICs that we have, so that every agent
// comes to the same list without asking everybody.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/probe.h"
#include "probes/discovery/peer.h"
#include "probes/endpoint.h"
#include "probes/pinglist.h"
#include "probes/prober.h"

namespace rdmadiag::probes {

struct KnownAgent {
  Peer peer;
  std::optional<AgentEndpoints> endpoints;  // empty before the first answer
  bool is_self = false;
};

struct TargetRates {
  double leaf = 10;  // probes a second, of each RNIC
  double fabric = 10;
  std::chrono::nanoseconds loopback = std::chrono::seconds(10);
  std::chrono::nanoseconds sibling = std::chrono::seconds(1);
  std::size_t connections = 8;  // RC, of each RNIC
};

struct TargetPlanInput {
  AgentEndpoints self;
  std::vector<KnownAgent> agents;
  TargetRates rates;
  bool others = true;     // false: only this host's own RNICs
  std::int64_t hour = 0;  // since the epoch
};

struct PlannedTarget {
  ProbeTarget target;
  std::string agent;  // discovery's id of it; empty for this host's own RNICs
  std::string device;
  std::uint32_t port = 1;
  bool datagrams = true;                   // false: connections only, as on iWARP
  std::optional<core::Protocol> protocol;  // of the peer, once known
  std::optional<PeerEndpoint> endpoint;
  std::string reason;  // why it is on the list
};

struct RnicPlan {
  std::vector<PlannedTarget> targets;
  std::vector<std::size_t> connections;  // of `targets`: those to keep RC connections to
};

struct TargetPlan {
  std::vector<RnicPlan> rnics;      // in the order of TargetPlanInput::self
  std::vector<std::string> agents;  // that some RNIC probes, sorted; to be looked up when not known
};

[[nodiscard]] TargetPlan plan_targets(const TargetPlanInput& input);

}  // namespace rdmadiag::probes
