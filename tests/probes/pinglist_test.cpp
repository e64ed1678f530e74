#include "probes/pinglist.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

using namespace rdmadiag;
using namespace rdmadiag::probes;

namespace {

constexpr std::int64_t kHour = 480'000;

std::string padded(unsigned number) {
  const std::string digits = std::to_string(number);
  return std::string(6 - digits.size(), '0') + digits;
}

// Hosts in groups of `per_leaf`, each rail of a group on a leaf of its own.
std::vector<Member> rail_optimised(unsigned hosts, unsigned rails, unsigned per_leaf) {
  std::vector<Member> members;
  for (unsigned host = 0; host < hosts; ++host) {
    for (unsigned rail = 0; rail < rails; ++rail) {
      const std::string name = "h" + padded(host);
      const std::string rail_name = std::to_string(rail);
      members.push_back({.id = name + "/mlx5_" + rail_name,
                         .host = name,
                         .leaf = "g" + padded(host / per_leaf) + "r" + rail_name,
                         .rail = rail_name,
                         .pod = "p0"});
    }
  }
  return members;
}

std::set<std::string> targets(const Membership& membership, std::string_view self,
                              core::ProbeScope scope, std::int64_t hour = kHour) {
  std::set<std::string> ids;
  for (const PinglistEntry& entry :
       make_pinglist(membership, membership.find(self).value(), hour)) {
    if (entry.scope == scope) ids.insert(membership.at(entry.member).id);
  }
  return ids;
}

std::size_t differing(const std::set<std::string>& before, const std::set<std::string>& after) {
  std::vector<std::string> gone;
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  return gone.size();
}

// Ordered pairs of leaves that some probe crosses.
std::size_t covered_pairs(const Membership& membership) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t self = 0; self < membership.size(); ++self) {
    for (const PinglistEntry& entry : make_pinglist(membership, self, kHour)) {
      pairs.emplace(membership.leaf_of(self), membership.leaf_of(entry.member));
    }
  }
  std::erase_if(pairs, [](const auto& pair) { return pair.first == pair.second; });
  return pairs.size();
}

}  // namespace

TEST_CASE("a small leaf: everybody else, once") {
  const Membership membership(rail_optimised(33, 1, 64));
  for (std::uint32_t self = 0; self < membership.size(); ++self) {
    const auto list = make_pinglist(membership, self, kHour);
    std::set<std::uint32_t> peers;
    for (const auto& entry : list) peers.insert(entry.member);
    CHECK(list.size() == 32);
    CHECK(peers.size() == 32);
    CHECK(peers.count(self) == 0);
  }
}

TEST_CASE("nobody else, or nobody at all") {
  CHECK(make_pinglist(Membership(rail_optimised(1, 1, 1)), 0, kHour).empty());
  CHECK(make_pinglist(Membership(rail_optimised(1, 8, 1)), 3, kHour).empty());
  CHECK(Membership().leaves().empty());
}

TEST_CASE("the membership does not depend on order, and keeps each id once") {
  std::vector<Member> members = rail_optimised(40, 2, 8);
  const Membership sorted(members);
  std::mt19937 random(1);
  std::ranges::shuffle(members, random);
  members.push_back(members.front());
  const Membership shuffled(members);
  REQUIRE(shuffled.size() == 80);
  for (std::uint32_t i = 0; i < 80; ++i) {
    CHECK(shuffled.at(i).id == sorted.at(i).id);
    CHECK(sorted.leaves()[sorted.leaf_of(i)].members[sorted.place_in_leaf(i)] == i);
  }
  CHECK_FALSE(sorted.find("h000099/mlx5_0"));
}

TEST_CASE("a large leaf: 32 of it, never the own host") {
  std::vector<Member> members;
  for (unsigned host = 0; host < 20; ++host) {
    for (unsigned rail = 0; rail < 8; ++rail) {
      members.push_back({.id = "h" + padded(host) + "/" + std::to_string(rail),
                         .host = "h" + padded(host),
                         .leaf = "tor",
                         .rail = std::to_string(rail),
                         .pod = ""});
    }
  }
  const Membership membership(members);
  for (std::uint32_t self = 0; self < membership.size(); ++self) {
    const auto list = make_pinglist(membership, self, kHour);
    CHECK(list.size() == 32);
    for (const auto& entry : list) {
      CHECK(membership.at(entry.member).host != membership.at(self).host);
    }
  }
}

TEST_CASE("all ordered leaf pairs are covered whenever n·G ≥ L − 1") {
  struct Shape {
    unsigned hosts, rails, per_leaf;
  };
  for (const Shape& shape : {Shape{8, 1, 4}, Shape{40, 1, 4}, Shape{64, 8, 16}, Shape{34, 1, 2},
                             Shape{33 * 8, 1, 8}, Shape{129 * 16, 1, 16}}) {
    const Membership membership(rail_optimised(shape.hosts, shape.rails, shape.per_leaf));
    const std::size_t leaves = membership.leaves().size();
    INFO(shape.hosts << " hosts, " << leaves << " leaves of " << shape.per_leaf);
    const bool reachable = shape.per_leaf * PinglistShape{}.fabric_leaves >= leaves - 1;
    REQUIRE(reachable);
    CHECK(covered_pairs(membership) == leaves * (leaves - 1));
  }
}

TEST_CASE("one leaf more than can be covered is not covered") {
  const Membership membership(rail_optimised(18 * 2, 1, 2));  // 2·8 < 18 − 1
  CHECK(covered_pairs(membership) == 18 * 16);
}

TEST_CASE("fabric targets are of our rail where the leaf has any") {
  std::vector<Member> members;
  for (unsigned i = 0; i < 16; ++i) {
    members.push_back({.id = "a" + padded(i),
                       .host = padded(i),
                       .leaf = "A",
                       .rail = std::to_string(i % 2),
                       .pod = ""});
    members.push_back({.id = "b" + padded(i),
                       .host = padded(100 + i),
                       .leaf = "B",
                       .rail = std::to_string(i % 2),
                       .pod = ""});
    members.push_back(
        {.id = "c" + padded(i), .host = padded(200 + i), .leaf = "C", .rail = "7", .pod = ""});
  }
  const Membership membership(members);
  for (const auto& entry : make_pinglist(membership, membership.find("a000003").value(), kHour)) {
    const Member& peer = membership.at(entry.member);
    if (peer.leaf == "B") {
      CHECK(peer.rail == "1");
      CHECK(entry.same_rail);
      CHECK(entry.candidates == 8);
    }
    if (peer.leaf == "C") CHECK_FALSE(entry.same_rail);
  }
  CHECK(targets(membership, "a000003", core::ProbeScope::kFabric).size() == 4);
}

TEST_CASE("10,000 hosts of 8 RNICs: length of lists, in-degree, cover of what can be covered") {
  const Membership membership(rail_optimised(10'000, 8, 32));
  REQUIRE(membership.size() == 80'000);
  std::vector<std::uint32_t> in_degree(membership.size());
  // A twentieth of the probers, whole leaves spread over the fabric.
  for (std::uint32_t self = 0; self < membership.size(); ++self) {
    if (membership.leaf_of(self) % 20 != 0) continue;
    const auto list = make_pinglist(membership, self, kHour);
    const auto leaf = std::ranges::count(list, core::ProbeScope::kLeaf, &PinglistEntry::scope);
    const auto size = membership.leaves()[membership.leaf_of(self)].members.size();
    REQUIRE(leaf == static_cast<std::ptrdiff_t>(size) - 1);
    REQUIRE(list.size() == size - 1 + 16);
    for (const auto& entry : list) {
      if (entry.scope == core::ProbeScope::kFabric) ++in_degree[entry.member];
    }
  }
  const auto most = *std::ranges::max_element(in_degree);
  // They send 16/20 to each RNIC on average. Nobody is a hot spot, few are left out: as if drawn.
  CHECK(most <= 8);
  const auto unprobed = std::ranges::count(in_degree, 0u);
  CHECK(unprobed < 44'000);
}

TEST_CASE("one host more or less changes little") {
  const std::vector<Member> members = rail_optimised(512, 1, 64);
  const Membership before(members);
  for (const char* gone : {"h000000", "h000300", "h000511"}) {
    std::vector<Member> fewer = members;
    std::erase_if(fewer, [&](const Member& member) { return member.host == gone; });
    const Membership after(fewer);
    const auto lost = before.at(before.find(std::string(gone) + "/mlx5_0").value());
    for (std::size_t i = 0; i < fewer.size(); i += 7) {
      const Member& member = fewer[i];
      INFO(gone << " gone, seen by " << member.id);
      CHECK(differing(targets(before, member.id, core::ProbeScope::kLeaf),
                      targets(after, member.id, core::ProbeScope::kLeaf)) <= 1);
      // Only the leaf that lost a member hands out its fabric leaves anew.
      if (member.leaf == lost.leaf) continue;
      CHECK(differing(targets(before, member.id, core::ProbeScope::kFabric),
                      targets(after, member.id, core::ProbeScope::kFabric)) <= 1);
    }
  }
}

TEST_CASE("about an eighth rotates each hour, all within a few days") {
  const Membership membership(rail_optimised(1024, 1, 1024));
  std::size_t changed = 0;
  constexpr int kHours = 80;
  std::set<std::string> ever;
  for (int hour = 0; hour < kHours; ++hour) {
    const auto now = targets(membership, "h000007/mlx5_0", core::ProbeScope::kLeaf, kHour + hour);
    const auto next =
        targets(membership, "h000007/mlx5_0", core::ProbeScope::kLeaf, kHour + hour + 1);
    changed += differing(now, next);
    ever.insert(now.begin(), now.end());
  }
  const double per_hour = static_cast<double>(changed) / kHours;
  CHECK(per_hour > 2);
  CHECK(per_hour < 10);
  CHECK(ever.size() > 200);
}

TEST_CASE("the reason is said") {
  const Membership membership(rail_optimised(4, 1, 2));
  const auto list = make_pinglist(membership, 0, kHour);
  REQUIRE(list.size() == 3);
  CHECK(explain(list[0], membership) == "our leaf g000000r0: rank 1 of 1 candidate");
  CHECK(explain(list[1], membership) ==
        "leaf g000001r0, 1 after our own: rank 1 of 2 candidates of our rail");
  const Membership unlabelled({{.id = "a", .host = "a", .leaf = "", .rail = "", .pod = ""},
                               {.id = "b", .host = "b", .leaf = "", .rail = "", .pod = ""}});
  CHECK(explain(make_pinglist(unlabelled, 0, kHour)[0], unlabelled) ==
        "no leaf labels: rank 1 of 1 candidate");
}
