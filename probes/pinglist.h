// Whom an RNIC probes, without a controller: a pure function of the membership and the hour, so
// every agent computes its own list and two agents never need to agree. Method: probing.md §7.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/probe.h"
#include "probes/membership.h"

namespace rdmadiag::probes {

struct PinglistShape {
  std::uint32_t leaf_targets = 32;    // within the own leaf; all when there are at most that many
  std::uint32_t fabric_leaves = 8;    // other leaves for each RNIC
  std::uint32_t per_fabric_leaf = 2;  // RNICs in each of them
};

struct PinglistEntry {
  std::uint32_t member = 0;
  core::ProbeScope scope = core::ProbeScope::kLeaf;
  // Why it is on the list: it ranked so among the candidates, in the leaf so far after the own one.
  std::uint32_t rank = 0;
  std::uint32_t candidates = 0;
  std::uint32_t leaf_offset = 0;  // 0 for the own leaf
  bool same_rail = false;
};

// `hour`: hours since the epoch, by this agent's clock. An eighth of the pairs draws new weights in
// each, so that lists rotate slowly and most series stay comparable.
[[nodiscard]] std::vector<PinglistEntry> make_pinglist(const Membership& membership,
                                                       std::uint32_t self, std::int64_t hour,
                                                       const PinglistShape& shape = {});

// "leaf b3, 4 after our own: rank 1 of 32 candidates of our rail"
[[nodiscard]] std::string explain(const PinglistEntry& entry, const Membership& membership);

// Rendezvous weight of a directed pair (Thaler and Ravishankar 1998, "highest random weight").
[[nodiscard]] std::uint64_t pair_weight(std::string_view self, std::string_view peer,
                                        std::int64_t hour);
// A fixed hash of a directed pair, for its phase in the schedule.
[[nodiscard]] std::uint64_t pair_hash(std::string_view self, std::string_view peer);

}  // namespace rdmadiag::probes
