#include "agent/core/mesh.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace rdmadiag::core {

std::string_view agent_state_name(AgentState state) {
  constexpr std::array<std::string_view, kAgentStateCount> kNames = {"unknown", "answers",
                                                                     "refused", "unreachable"};
  const auto index = static_cast<std::size_t>(state);
  return index < kNames.size() ? kNames[index] : std::string_view("unknown");
}

std::vector<MeshPair> mesh_pairs(std::span<const MeshReport> reports) {
  std::vector<MeshPair> pairs;
  for (const MeshReport& report : reports) {
    for (const ProbeSnapshot& rnic : report.probes) {
      for (const ProbePeer& peer : rnic.peers) {
        if (peer.scope != ProbeScope::kLoopback) pairs.push_back({rnic.nic, rnic.leaf, peer});
      }
    }
  }
  std::ranges::sort(pairs, [](const MeshPair& a, const MeshPair& b) {
    return std::tie(a.from, a.to.peer, a.to.scope) < std::tie(b.from, b.to.peer, b.to.scope);
  });
  return pairs;
}

}  // namespace rdmadiag::core
