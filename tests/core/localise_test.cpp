// Localisation over a simulated fabric of 8 leaves × 16 NICs: what is lost where decides what is
// blamed, and nothing is blamed on a healthy one.
#include "agent/core/localise.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

using namespace rdmadiag::core;

namespace {

std::string leaf_name(int leaf) { return std::string("leaf") + std::to_string(leaf); }

struct Nic {
  int leaf = 0;
  int place = 0;

  [[nodiscard]] std::string name() const {
    return "h" + std::to_string(leaf) + "-" + std::to_string(place) + "/mlx5_0";
  }
};

// The chance that one direction of a probe is lost.
using Fault = std::function<double(const Nic& from, const Nic& to, std::uint32_t label)>;

class SimulatedMesh {
 public:
  SimulatedMesh(int leaves, int nics, std::uint64_t seed)
      : leaves_(leaves), nics_(nics), random_(seed) {}

  // 10 probes a second to its leaf and 10 to others, 8 labels for each target, by turns.
  std::vector<PathRow> run(std::uint32_t windows, const Fault& fault) {
    std::vector<PathRow> rows;
    for (std::uint32_t window = 0; window < windows; ++window) {
      for (int leaf = 0; leaf < leaves_; ++leaf) {
        for (int place = 0; place < nics_; ++place) probe({leaf, place}, window, fault, rows);
      }
    }
    return rows;
  }

 private:
  void probe(const Nic& self, std::uint32_t window, const Fault& fault,
             std::vector<PathRow>& rows) {
    for (int place = 0; place < nics_; ++place) {
      if (place != self.place) add(self, {self.leaf, place}, nics_ - 1, window, fault, rows);
    }
    for (int j = 1; j < leaves_; ++j) {
      const int leaf = (self.leaf + j) % leaves_;
      for (const int place : {self.place, (self.place + 3) % nics_})
        add(self, {leaf, place}, 2 * (leaves_ - 1), window, fault, rows);
    }
  }

  void add(const Nic& self, const Nic& peer, int targets, std::uint32_t window, const Fault& fault,
           std::vector<PathRow>& rows) {
    constexpr std::uint32_t kLabels = 8;
    const auto probes = static_cast<std::uint32_t>(300 / targets);
    for (std::uint32_t label = 1; label <= kLabels; ++label) {
      PathRow row{.from = self.name(),
                  .from_leaf = leaf_name(self.leaf),
                  .to = peer.name(),
                  .to_leaf = leaf_name(peer.leaf),
                  .label = label,
                  .window = window};
      row.sent = probes / kLabels + (label <= probes % kLabels ? 1 : 0);
      row.lost_forward = lost(row.sent, fault(self, peer, label));
      row.lost_reverse = lost(row.sent - row.lost_forward, fault(peer, self, label));
      rows.push_back(row);
    }
  }

  std::uint32_t lost(std::uint32_t sent, double chance) {
    return std::binomial_distribution<std::uint32_t>(sent, chance)(random_);
  }

  int leaves_;
  int nics_;
  std::mt19937_64 random_;
};

Localisation locate(std::uint64_t seed, std::uint32_t windows, const Fault& fault) {
  return localise(SimulatedMesh(8, 16, seed).run(windows, fault));
}

// A spine as the hash of the flow chooses it.
std::uint32_t spine_of(const Nic& from, const Nic& to, std::uint32_t label) {
  return static_cast<std::uint32_t>(from.leaf * 7 + from.place * 13 + to.leaf * 5 + to.place * 3) %
             8 ^
         (label % 8);
}

void check_only(const Localisation& found, FabricPart part, const std::string& name) {
  REQUIRE(found.verdicts.size() == 1);
  CHECK(fabric_part_name(found.verdicts[0].part) == fabric_part_name(part));
  CHECK(found.verdicts[0].name == name);
}

}  // namespace

TEST_CASE("loss of 2 % is blamed on the part that loses it") {
  const auto seed = GENERATE(1U, 2U);
  const Nic sick{3, 5};
  const auto is_sick = [&](const Nic& nic) { return nic.name() == sick.name(); };
  check_only(locate(seed, 2, [&](auto& a, auto&, auto) { return is_sick(a) ? 0.02 : 0; }),
             FabricPart::kNicSend, sick.name());
  check_only(locate(seed, 2, [&](auto&, auto& b, auto) { return is_sick(b) ? 0.02 : 0; }),
             FabricPart::kNicReceive, sick.name());
  check_only(
      locate(seed, 2, [&](auto& a, auto& b, auto) { return is_sick(a) || is_sick(b) ? 0.02 : 0; }),
      FabricPart::kNic, sick.name());
  check_only(locate(seed, 2,
                    [&](auto& a, auto& b, auto) { return a.leaf == 3 || b.leaf == 3 ? 0.02 : 0; }),
             FabricPart::kLeaf, "leaf3");
  check_only(locate(seed, 2,
                    [&](auto& a, auto& b, auto) { return a.leaf == 3 && b.leaf != 3 ? 0.02 : 0; }),
             FabricPart::kLeafUp, "leaf3");
  check_only(locate(seed, 2,
                    [&](auto& a, auto& b, auto) { return a.leaf != 3 && b.leaf == 3 ? 0.02 : 0; }),
             FabricPart::kLeafDown, "leaf3");
  check_only(locate(seed, 2, [&](auto& a, auto& b, auto) { return a.leaf != b.leaf ? 0.02 : 0; }),
             FabricPart::kBetweenLeaves, "");
}

TEST_CASE("one lossy pair of leaves is not blamed on either of them") {
  const auto found =
      locate(4, 2, [](auto& a, auto& b, auto) { return a.leaf == 1 && b.leaf == 6 ? 0.05 : 0; });
  check_only(found, FabricPart::kLeafPair, "leaf1");
  CHECK(found.verdicts[0].other == "leaf6");
}

TEST_CASE("one of a leaf's eight uplinks is blamed on the leaf, with the flows that lose") {
  const auto found = locate(5, 2, [](const Nic& a, const Nic& b, std::uint32_t label) {
    return a.leaf == 2 && b.leaf != 2 && spine_of(a, b, label) == 4 ? 0.3 : 0;
  });
  check_only(found, FabricPart::kLeafUp, "leaf2");
  const Blame& blame = found.verdicts[0];
  CHECK(blame.flows_with_loss * 5 < blame.flows);
  CHECK(blame.flows_with_loss * 20 > blame.flows);
}

TEST_CASE("a healthy fabric gets no verdict") {
  for (std::uint64_t seed = 100; seed < 104; ++seed) {
    const auto found = locate(seed, 2, [](auto&, auto&, auto) { return 2e-5; });
    CHECK(found.verdicts.empty());
    CHECK(found.lost > 0);
  }
}

TEST_CASE("a dead NIC is one verdict, though nobody knows on which way its probes are lost") {
  auto rows = SimulatedMesh(8, 16, 7).run(2, [](auto&, auto&, auto) { return 0; });
  const std::string dead = Nic{0, 0}.name();
  for (PathRow& row : rows) {
    if (row.from == dead || row.to == dead) row.lost_unknown = row.sent;
  }
  check_only(localise(rows), FabricPart::kNic, dead);
}

TEST_CASE("two faults get two verdicts") {
  const auto found = locate(8, 2, [](const Nic& a, const Nic& b, auto) {
    return a.name() == Nic{0, 1}.name() || (a.leaf == 5 && b.leaf != 5) ? 0.05 : 0;
  });
  REQUIRE(found.verdicts.size() == 2);
  const bool nic_first = found.verdicts[0].part == FabricPart::kNicSend;
  CHECK(found.verdicts[nic_first ? 0 : 1].name == Nic{0, 1}.name());
  CHECK(found.verdicts[nic_first ? 1 : 0].name == "leaf5");
}

TEST_CASE("what only one window saw is no verdict") {
  auto rows = SimulatedMesh(8, 16, 9).run(
      2, [](const Nic& a, auto&, auto) { return a.leaf == 1 && a.place == 1 ? 0.5 : 0; });
  for (PathRow& row : rows) {
    if (row.window == 1) row.lost_forward = row.lost_reverse = 0;
  }
  const auto found = localise(rows);
  CHECK(found.verdicts.empty());
  REQUIRE(found.unconfirmed.size() == 1);
  CHECK(found.unconfirmed[0].name == Nic{1, 1}.name());
}

TEST_CASE("loss of 0.7 % is found over two minutes") {
  const auto found = locate(
      10, 8, [](const Nic& a, auto&, auto) { return a.leaf == 4 && a.place == 0 ? 0.007 : 0; });
  check_only(found, FabricPart::kNicSend, Nic{4, 0}.name());
}

TEST_CASE("parts that nothing tells apart are all named") {
  // One NIC in each leaf: its loss is as well its leaf's.
  const auto rows = SimulatedMesh(4, 1, 11).run(
      2, [](const Nic& a, auto&, auto) { return a.leaf == 2 ? 0.2 : 0; });
  const auto found = localise(rows);
  check_only(found, FabricPart::kNicSend, Nic{2, 0}.name());
  CHECK(found.verdicts[0].same_as ==
        std::vector<std::string>{"leaf leaf2, what it sends to other leaves"});
}

TEST_CASE("Wilson's lower bound") {
  CHECK(wilson_lower(0, 0, 3) == 0);
  CHECK(wilson_lower(0, 1000, 3) == 0);
  CHECK(wilson_lower(1000, 1000, 3) == Approx(1000.0 / 1009));
  CHECK(wilson_lower(50, 100, 3) == Approx(0.3564).margin(1e-4));
}

TEST_CASE("windows are counted from each agent's newest, whatever its clock says") {
  MeshReport report;
  ProbeSnapshot rnic;
  rnic.nic = "a/x";
  rnic.leaf = "l";
  rnic.peers.resize(2);
  rnic.peers[0].peer = "b/x";
  rnic.peers[0].leaf = "m";
  rnic.peers[1].peer = "a/x";
  rnic.peers[1].leaf = "l";
  rnic.path_peers = {"b/x", "a/x"};
  rnic.paths = {{.peer = 0, .label = 1, .window_start = 3000, .sent = 5},
                {.peer = 0, .label = 1, .window_start = 3060, .sent = 6, .lost_forward = 1},
                {.peer = 1, .label = 1, .window_start = 3060, .sent = 7}};
  report.probes = {rnic};
  const auto rows = path_rows(std::vector{report});
  REQUIRE(rows.size() == 2);  // without the loopback
  CHECK(rows[0].window == 2);
  CHECK(rows[1].window == 0);
  CHECK(rows[1].to_leaf == "m");
  CHECK(rows[1].lost_forward == 1);
}
