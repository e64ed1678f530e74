// What localisation works on, and the words for what it finds.
#include <algorithm>
#include <array>
#include <map>

#include "agent/core/localise.h"

namespace rdmadiag::core {

std::string_view fabric_part_name(FabricPart part) {
  constexpr std::array<std::string_view, kFabricPartCount> kNames = {
      "nic",     "nic_send",  "nic_receive", "leaf_pair",
      "leaf_up", "leaf_down", "leaf",        "between_leaves"};
  const auto index = static_cast<std::size_t>(part);
  return index < kNames.size() ? kNames[index] : std::string_view("unknown");
}

std::string describe(const Blame& blame) {
  switch (blame.part) {
    case FabricPart::kNic: return "NIC " + blame.name;
    case FabricPart::kNicSend: return "NIC " + blame.name + ", what it sends";
    case FabricPart::kNicReceive: return "NIC " + blame.name + ", what it receives";
    case FabricPart::kLeafPair:
      return "the way from leaf " + blame.name + " to leaf " + blame.other;
    case FabricPart::kLeafUp: return "leaf " + blame.name + ", what it sends to other leaves";
    case FabricPart::kLeafDown: return "leaf " + blame.name + ", what it gets from other leaves";
    case FabricPart::kLeaf: return "leaf " + blame.name;
    case FabricPart::kBetweenLeaves: return "what joins the leaves";
  }
  return {};
}

std::vector<PathRow> path_rows(std::span<const MeshReport> reports) {
  std::vector<PathRow> rows;
  for (const MeshReport& report : reports) {
    std::int64_t newest = 0;
    for (const ProbeSnapshot& rnic : report.probes) {
      for (const PathRecord& path : rnic.paths) newest = std::max(newest, path.window_start);
    }
    for (const ProbeSnapshot& rnic : report.probes) {
      std::map<std::string, std::string> leaves;
      for (const ProbePeer& peer : rnic.peers) leaves.emplace(peer.peer, peer.leaf);
      for (const PathRecord& path : rnic.paths) {
        if (path.peer >= rnic.path_peers.size()) continue;
        const std::string& to = rnic.path_peers[path.peer];
        if (to == rnic.nic) continue;
        const auto leaf = leaves.find(to);
        rows.push_back({.from = rnic.nic,
                        .from_leaf = rnic.leaf,
                        .to = to,
                        .to_leaf = leaf == leaves.end() ? std::string() : leaf->second,
                        .label = path.label,
                        .window = static_cast<std::uint32_t>((newest - path.window_start) /
                                                             kProbeWindow.count()),
                        .sent = path.sent,
                        .lost_forward = path.lost_forward,
                        .lost_reverse = path.lost_reverse,
                        .lost_unknown = path.lost_unknown});
      }
    }
  }
  return rows;
}

}  // namespace rdmadiag::core
