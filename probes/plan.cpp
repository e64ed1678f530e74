#include "probes/plan.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "agent/core/probe.h"
#include "probes/pinglist.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint64_t kMaxRnics = 1'000'000;
constexpr std::uint64_t kSeriesPerShard = 1'000'000;
// Ports, counters and netdev of a typical RNIC, without the probes.
constexpr std::uint64_t kPassiveSeriesPerRnic = 57;
// Ethernet with preamble and gap 38, IPv4 20, UDP 8, BTH 12, DETH 8, message 64, ICRC 4.
constexpr double kBitsPerMessage = (38 + 20 + 8 + 12 + 8 + 64 + 4) * 8.0;
constexpr double kMessagesPerProbe = 3;

std::string padded(std::uint32_t number) {
  const std::string digits = std::to_string(number);
  return std::string(7 - digits.size(), '0') + digits;
}

Membership synthetic(const PlanInput& input) {
  std::vector<Member> members;
  members.reserve(std::size_t{input.hosts} * input.rnics_per_host);
  for (std::uint32_t host = 0; host < input.hosts; ++host) {
    for (std::uint32_t rail = 0; rail < input.rnics_per_host; ++rail) {
      const std::string name = padded(host);
      members.push_back({.id = name + "/" + std::to_string(rail),
                         .host = name,
                         .leaf = padded(host / input.hosts_per_leaf) + "/" + std::to_string(rail),
                         .rail = std::to_string(rail),
                         .pod = {}});
    }
  }
  return Membership(std::move(members));
}

// The first leaf stands for all full ones: offsets repeat from leaf to leaf.
void count_targets(const Membership& membership, Plan& plan) {
  std::set<std::uint32_t> reached;
  for (const std::uint32_t self : membership.leaves().front().members) {
    std::set<std::uint32_t> leaves;
    std::uint32_t leaf_targets = 0;
    std::uint32_t fabric_targets = 0;
    for (const PinglistEntry& entry : make_pinglist(membership, self, 0)) {
      if (entry.scope == core::ProbeScope::kLeaf) {
        ++leaf_targets;
      } else {
        ++fabric_targets;
        leaves.insert(entry.leaf_offset);
      }
    }
    reached.insert(leaves.begin(), leaves.end());
    plan.leaf_targets = std::max(plan.leaf_targets, leaf_targets);
    plan.fabric_targets = std::max(plan.fabric_targets, fabric_targets);
    plan.target_leaves = std::max(plan.target_leaves, static_cast<std::uint32_t>(leaves.size()));
  }
  const std::size_t others = membership.leaves().size() - 1;
  plan.leaf_pairs_covered =
      others == 0 ? 1 : static_cast<double>(reached.size()) / static_cast<double>(others);
}

std::uint64_t histogram_series(std::size_t bounds) { return bounds + 3; }  // +Inf, sum, count

}  // namespace

std::uint64_t probe_series(std::uint32_t target_leaves, std::uint32_t rnics) {
  // Sent and arrived of the own leaf and of others; of loopback and siblings sent only.
  const std::uint64_t flows = 2 * (1 + std::uint64_t{target_leaves}) + (rnics > 1 ? 2 : 1);
  const std::uint64_t outcomes = 1;
  const std::uint64_t remote_scopes = target_leaves > 0 ? 2 : 1;
  const std::uint64_t rtt = remote_scopes * histogram_series(core::kRttBounds.size());
  const std::uint64_t delays = 2 * histogram_series(core::kDelayBounds.size());
  const std::uint64_t peers = 2 * remote_scopes + 1;  // known, bad; whether names were cut
  const std::uint64_t own_host = rnics;               // the round-trip time of each
  const std::uint64_t singles = 3;                    // ECN marks, hops, rate factor
  const std::uint64_t responses = 1;
  // Sent, arrived, down seconds.
  const std::uint64_t rc = 3 + histogram_series(core::kRcRttBounds.size());
  return flows + outcomes + rtt + delays + peers + own_host + singles + responses + rc;
}

core::Result<Plan> make_plan(const PlanInput& input) {
  const std::uint64_t rnics = std::uint64_t{input.hosts} * input.rnics_per_host;
  if (rnics == 0 || rnics > kMaxRnics) return core::fail("a plan needs 1 to 1,000,000 RNICs");
  if (input.hosts_per_leaf == 0) return core::fail("a leaf needs at least one host");
  const Membership membership = synthetic(input);
  Plan plan;
  plan.rnics = membership.size();
  plan.leaves = static_cast<std::uint32_t>(membership.leaves().size());
  count_targets(membership, plan);
  if (plan.leaf_targets > 0) {
    plan.probes_per_second += input.leaf_rate;
    plan.seconds_between_probes = plan.leaf_targets / input.leaf_rate;
  }
  if (plan.fabric_targets > 0) plan.probes_per_second += input.fabric_rate;
  plan.bits_per_second = plan.probes_per_second * kMessagesPerProbe * kBitsPerMessage;
  plan.link_share_100g = plan.bits_per_second / 100e9;
  plan.cluster_probes_per_second = plan.probes_per_second * plan.rnics;
  plan.cluster_bits_per_second = plan.bits_per_second * plan.rnics;
  plan.probe_series_per_rnic = probe_series(plan.target_leaves, input.rnics_per_host);
  plan.series_per_rnic = plan.probe_series_per_rnic + kPassiveSeriesPerRnic;
  plan.cluster_series = plan.series_per_rnic * plan.rnics;
  plan.prometheus_shards = (plan.cluster_series + kSeriesPerShard - 1) / kSeriesPerShard;
  return plan;
}

}  // namespace rdmadiag::probes
