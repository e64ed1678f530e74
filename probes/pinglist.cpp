#include "probes/pinglist.h"

#include <xxhash.h>

#include <algorithm>

namespace rdmadiag::probes {
namespace {

constexpr std::int64_t kRotationHours = 8;

struct Weighted {
  std::uint64_t weight;
  std::uint32_t member;
};

// The `count` heaviest of `candidates`, heaviest first; ties, which 64 bits make unlikely, by
// index.
std::vector<Weighted> heaviest(std::vector<Weighted> candidates, std::size_t count) {
  const auto heavier = [](const Weighted& a, const Weighted& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.member < b.member;
  };
  count = std::min(count, candidates.size());
  const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::partial_sort(candidates, middle, heavier);
  candidates.erase(middle, candidates.end());
  return candidates;
}

class Picker {
 public:
  Picker(const Membership& membership, std::uint32_t self, std::int64_t hour)
      : membership_(membership), self_(membership.at(self)), hour_(hour) {}

  // Adds `count` RNICs of `leaf` that are not of this host. With `rail_first`, those of our rail go
  // before all others.
  void pick(const Membership::Leaf& leaf, std::size_t count, bool rail_first,
            PinglistEntry reason) {
    std::vector<Weighted> own_rail;
    std::vector<Weighted> others;
    for (const std::uint32_t index : leaf.members) {
      const Member& peer = membership_.at(index);
      if (peer.host == self_.host) continue;
      const bool preferred = !rail_first || peer.rail == self_.rail;
      (preferred ? own_rail : others).push_back({pair_weight(self_.id, peer.id, hour_), index});
    }
    reason.same_rail = rail_first;
    append(std::move(own_rail), count, reason);
    reason.same_rail = false;
    append(std::move(others), count, reason);
  }

  std::vector<PinglistEntry> take() { return std::move(entries_); }

 private:
  void append(std::vector<Weighted> candidates, std::size_t& room, PinglistEntry reason) {
    reason.candidates = static_cast<std::uint32_t>(candidates.size());
    for (const Weighted& chosen : heaviest(std::move(candidates), room)) {
      ++reason.rank;
      reason.member = chosen.member;
      entries_.push_back(reason);
      --room;
    }
  }

  const Membership& membership_;
  const Member& self_;
  std::int64_t hour_;
  std::vector<PinglistEntry> entries_;
};

}  // namespace

std::uint64_t pair_hash(std::string_view self, std::string_view peer) {
  return XXH3_64bits_withSeed(peer.data(), peer.size(), XXH3_64bits(self.data(), self.size()));
}

std::uint64_t pair_weight(std::string_view self, std::string_view peer, std::int64_t hour) {
  const std::uint64_t pair = pair_hash(self, peer);
  const auto turn = static_cast<std::int64_t>(pair % kRotationHours);
  const std::int64_t epoch = (hour + turn) / kRotationHours;
  return XXH3_64bits_withSeed(&epoch, sizeof(epoch), pair);
}

std::vector<PinglistEntry> make_pinglist(const Membership& membership, std::uint32_t self,
                                         std::int64_t hour, const PinglistShape& shape) {
  Picker picker(membership, self, hour);
  const auto leaves = membership.leaves();
  const std::uint32_t own_leaf = membership.leaf_of(self);
  picker.pick(leaves[own_leaf], shape.leaf_targets, false, {.scope = core::ProbeScope::kLeaf});

  const auto others = static_cast<std::uint32_t>(leaves.size()) - 1;
  const std::uint32_t reach = std::min(shape.fabric_leaves, others);
  for (std::uint32_t j = 0; j < reach; ++j) {
    const std::uint64_t step =
        std::uint64_t{membership.place_in_leaf(self)} * shape.fabric_leaves + j;
    const auto offset = static_cast<std::uint32_t>(1 + step % others);
    const std::size_t leaf = (std::size_t{own_leaf} + offset) % leaves.size();
    picker.pick(leaves[leaf], shape.per_fabric_leaf, true,
                {.scope = core::ProbeScope::kFabric, .leaf_offset = offset});
  }
  return picker.take();
}

std::string explain(const PinglistEntry& entry, const Membership& membership) {
  const std::string& leaf = membership.at(entry.member).leaf;
  const std::string rank = "rank " + std::to_string(entry.rank) + " of " +
                           std::to_string(entry.candidates) +
                           (entry.candidates == 1 ? " candidate" : " candidates");
  if (entry.scope == core::ProbeScope::kLeaf) {
    return (leaf.empty() ? "no leaf labels" : "our leaf " + leaf) + ": " + rank;
  }
  return "leaf " + leaf + ", " + std::to_string(entry.leaf_offset) + " after our own: " + rank +
         (entry.same_rail ? " of our rail" : " of other rails");
}

}  // namespace rdmadiag::probes
