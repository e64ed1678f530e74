// Which NIC, leaf or link loses probes, from what every agent saw of every path. A pure function.
//
// Each probe crosses parts of the fabric on its way and others on the way back. The part whose loss
// ratio is highest for certain is blamed, its probes are put aside, and the rest is looked at again
// (greedy set cover over Wilson bounds). Nothing is known of which spine a flow takes: what lies
// between two leaves is blamed as a leaf's uplinks or downlinks, as one pair, or as a whole, with
// the share of flows that lose, which tells one link of several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/mesh.h"

namespace rdmadiag::core {

enum class FabricPart : std::uint8_t {
  kNic,         // both ways
  kNicSend,     // what it sends
  kNicReceive,  // what it receives
  kLeafPair,    // from leaf `name` to leaf `other`
  kLeafUp,      // from leaf `name` to all others
  kLeafDown,    // from all others to leaf `name`
  kLeaf,        // the switch: whatever crosses it
  kBetweenLeaves,
};
inline constexpr std::size_t kFabricPartCount = 8;
[[nodiscard]] std::string_view fabric_part_name(FabricPart part);  // "nic_send"

// One flow over one window: NIC to NIC with one flow label.
struct PathRow {
  std::string from;  // "host/device"
  std::string from_leaf;
  std::string to;
  std::string to_leaf;
  std::uint32_t label = 0;
  std::uint32_t window = 0;  // 0 is the sender's newest complete one, by its own clock
  std::uint32_t sent = 0;
  std::uint32_t lost_forward = 0;
  std::uint32_t lost_reverse = 0;
  std::uint32_t lost_unknown = 0;
};

// Without this host's loopback. Windows are counted from each agent's newest, so that clocks need
// not agree.
[[nodiscard]] std::vector<PathRow> path_rows(std::span<const MeshReport> reports);

struct Blame {
  FabricPart part = FabricPart::kNic;
  std::string name = {};   // NIC or leaf; empty for kBetweenLeaves
  std::string other = {};  // second leaf of a pair
  std::uint64_t probes = 0;
  std::uint64_t lost = 0;
  std::uint64_t flows = 0;
  std::uint64_t flows_with_loss = 0;
  double least_loss = 0;  // lower end of the loss ratio, three standard deviations down
  // Parts that the same probes crossed: nothing tells them apart.
  std::vector<std::string> same_as = {};

  [[nodiscard]] double loss() const {
    return probes == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(probes);
  }
};

// "leaf a, what it sends to other leaves"
[[nodiscard]] std::string describe(const Blame& blame);

struct Localisation {
  std::vector<Blame> verdicts;     // blamed in two windows in a row; numbers of the newer
  std::vector<Blame> unconfirmed;  // in the newest only
  std::uint32_t window_seconds = 0;
  std::uint64_t nics = 0;
  std::uint64_t flows = 0;
  std::uint64_t probes = 0;  // of both windows
  std::uint64_t lost = 0;
};

// Looks at windows of 30 s, then, when there is no verdict, at windows of 2 min, which show less
// loss. At least two windows are needed for a verdict, and three flows that lose.
[[nodiscard]] Localisation localise(std::span<const PathRow> rows);

// Lower bound of the ratio k/n at z standard deviations (Wilson 1927); 0 for n = 0.
[[nodiscard]] double wilson_lower(std::uint64_t k, std::uint64_t n, double z);

}  // namespace rdmadiag::core
