// What probing would cost a cluster of a given size, computed with the pinglist it would use.
#pragma once

#include <cstdint>

#include "agent/core/result.h"

namespace rdmadiag::probes {

struct PlanInput {
  std::uint32_t hosts = 1;
  std::uint32_t rnics_per_host = 8;
  std::uint32_t hosts_per_leaf = 32;  // each rail of a group of hosts has a leaf of its own
  double leaf_rate = 10;              // probes a second of each RNIC
  double fabric_rate = 10;
};

struct Plan {
  std::uint32_t rnics = 0;
  std::uint32_t leaves = 0;
  std::uint32_t leaf_targets = 0;  // of an RNIC in a full leaf
  std::uint32_t fabric_targets = 0;
  std::uint32_t target_leaves = 0;    // that an RNIC probes
  double seconds_between_probes = 0;  // of one RNIC to one of its leaf targets
  double leaf_pairs_covered = 0;      // share of the ordered pairs of leaves, 0…1
  double probes_per_second = 0;       // of one RNIC, sent
  double bits_per_second = 0;         // of one RNIC, all messages of its own probes
  double cluster_probes_per_second = 0;
  double cluster_bits_per_second = 0;
  double link_share_100g = 0;  // of a 100 Gb/s link, 0…1
  std::uint64_t probe_series_per_rnic = 0;
  std::uint64_t series_per_rnic = 0;  // counters and states included
  std::uint64_t cluster_series = 0;
  std::uint64_t prometheus_shards = 0;  // at a million series each
};

// Fails for clusters of no or more than a million RNICs.
[[nodiscard]] core::Result<Plan> make_plan(const PlanInput& input);

// Always-on series of the probes of one RNIC that probes `target_leaves` other leaves, on a host of
// `rnics` of them. Sparse ones, which name peers that are bad or connected, come on top.
[[nodiscard]] std::uint64_t probe_series(std::uint32_t target_leaves, std::uint32_t rnics);

}  // namespace rdmadiag::probes
