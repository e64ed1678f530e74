// The rules of lossless Ethernet: each fires, does not just below, and says when it cannot tell.
#include <catch2/catch.hpp>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

// A RoCE port as it should be: DSCP 26 is priority 3, which has PFC and ECN.
struct Lossless : TwoLooks {
  Lossless() {
    before.netdevs.resize(1);
    now.netdevs.resize(1);
    before.netdevs[0].name = now.netdevs[0].name = "eth2";
    port_before().netdev = port_now().netdev = "eth2";
    netdev().mtu_bytes = 9000;
    auto& ethtool = netdev().ethtool.emplace();
    ethtool.pause = PauseSettings{.autonegotiation = false, .receive = false, .transmit = false};
    DcbSnapshot& made = netdev().dcb.emplace();
    made.pfc_enabled.emplace();
    (*made.pfc_enabled)[3] = true;
    made.trust = Trust::kDscp;
    made.trust_learnt_from = "sysfs qos/trust";
    made.applications = {{.selector = 5, .protocol = 26, .priority = 3}};
    RoceSettings& roce = port_now().roce.emplace();
    roce.default_tos = 26 << 2;
    roce.ecn_notification_point.emplace();
    roce.ecn_reaction_point.emplace();
    (*roce.ecn_notification_point)[3] = (*roce.ecn_reaction_point)[3] = true;
  }
  NetdevSnapshot& netdev() { return now.netdevs[0]; }
  DcbSnapshot& dcb() { return *netdev().dcb; }
  RoceSettings& roce() { return *port_now().roce; }
  // A statistic of mlx5's netdev at both looks.
  void statistic(std::string_view name, std::uint64_t first, std::uint64_t second) {
    const auto* spec = find_counter(CounterSource::kEthtool, "mlx5_core", name);
    REQUIRE(spec != nullptr);
    before.netdevs[0].counters.push_back({CounterSource::kEthtool, spec, {}, first});
    netdev().counters.push_back({CounterSource::kEthtool, spec, {}, second});
  }
};

std::string found(const Diagnosis& diagnosis, std::string_view rule) {
  const Finding* finding = find(diagnosis, rule);
  return finding == nullptr ? "" : finding->found;
}

}  // namespace

TEST_CASE("a port set up for RoCE gives no finding of the lossless rules") {
  Lossless good;
  good.statistic("rx_prio3_discards", 5, 5);
  good.statistic("tx_prio3_pause_duration", 5, 5);
  good.statistic("rx_prio3_pause_duration", 5, 5);
  const Diagnosis diagnosis = good.diagnose();
  for (const char* rule : {"pfc-storm", "pfc-victim", "lossless-drops", "pfc-missing",
                           "pfc-everywhere", "pause-and-pfc", "ecn-off", "dscp-trust-missing"}) {
    INFO(rule);
    CHECK(find(diagnosis, rule) == nullptr);
    CHECK(find_unknown(diagnosis, rule) == nullptr);
  }
}

TEST_CASE("PFC is missing on the priority RoCE has, wherever else it is on") {
  Lossless bad;
  (*bad.dcb().pfc_enabled)[3] = false;
  (*bad.dcb().pfc_enabled)[4] = true;
  const Diagnosis diagnosis = bad.diagnose();
  CHECK(found(diagnosis, "pfc-missing") ==
        "PFC is off on priority 3, which DSCP 26 of RoCE is given");
  CHECK(find(diagnosis, "pfc-missing")->severity == FindingSeverity::kWarning);
  CHECK(find(diagnosis, "pfc-missing")->subject.netdev == "eth2");
}

TEST_CASE("the vendor's traffic class goes before the default of rdma_cm") {
  Lossless bad;
  bad.dcb().applications.push_back({.selector = 5, .protocol = 34, .priority = 4});
  bad.roce().traffic_class = 34 << 2;
  CHECK(found(bad.diagnose(), "pfc-missing") ==
        "PFC is off on priority 4, which DSCP 34 of RoCE is given");
}

TEST_CASE("no PFC at all is worth a word, an unknown class cannot be judged") {
  Lossless lossy;
  lossy.roce().default_tos.reset();
  CHECK(find(lossy.diagnose(), "pfc-missing") == nullptr);
  CHECK(find_unknown(lossy.diagnose(), "pfc-missing") != nullptr);
  (*lossy.dcb().pfc_enabled)[3] = false;
  const Diagnosis diagnosis = lossy.diagnose();
  REQUIRE(find(diagnosis, "pfc-missing") != nullptr);
  CHECK(find(diagnosis, "pfc-missing")->severity == FindingSeverity::kInfo);
}

TEST_CASE("PFC on all eight priorities is found, on seven not") {
  Lossless bad;
  bad.dcb().pfc_enabled->fill(true);
  CHECK(found(bad.diagnose(), "pfc-everywhere") == "PFC is on for all 8 priorities");
  (*bad.dcb().pfc_enabled)[0] = false;
  CHECK(find(bad.diagnose(), "pfc-everywhere") == nullptr);
}

TEST_CASE(
    "global pause beside PFC is found in either direction, without PFC it is none's business") {
  Lossless bad;
  bad.netdev().ethtool->pause->transmit = true;
  CHECK(found(bad.diagnose(), "pause-and-pfc") == "global pause is on (tx) beside PFC");
  bad.netdev().ethtool->pause->receive = true;
  CHECK(found(bad.diagnose(), "pause-and-pfc") == "global pause is on (rx and tx) beside PFC");
  bad.dcb().pfc_enabled->fill(false);
  CHECK(find(bad.diagnose(), "pause-and-pfc") == nullptr);
  Lossless unknown;
  unknown.netdev().ethtool->pause.reset();
  CHECK(find_unknown(unknown.diagnose(), "pause-and-pfc") != nullptr);
}

TEST_CASE("ECN that is off in one role or both is found") {
  Lossless bad;
  (*bad.roce().ecn_reaction_point)[3] = false;
  (*bad.roce().ecn_reaction_point)[4] = true;
  CHECK(found(bad.diagnose(), "ecn-off") == "reaction off on priority 3");
  (*bad.roce().ecn_notification_point)[3] = false;
  CHECK(found(bad.diagnose(), "ecn-off") == "notification and reaction off on priority 3");
  bad.roce().default_tos.reset();
  CHECK(found(bad.diagnose(), "ecn-off") == "notification off on every priority");
  bad.roce().ecn_notification_point.reset();
  CHECK(find(bad.diagnose(), "ecn-off") == nullptr);
  CHECK(find_unknown(bad.diagnose(), "ecn-off") != nullptr);
}

TEST_CASE("trust in PCP contradicts a DSCP of RoCE on a lossless port only") {
  Lossless bad;
  bad.dcb().trust = Trust::kPcp;
  CHECK(found(bad.diagnose(), "dscp-trust-missing") ==
        "RoCE is sent with DSCP 26, the netdev trusts PCP (sysfs qos/trust)");
  bad.roce().default_tos = 0;
  CHECK(find(bad.diagnose(), "dscp-trust-missing") == nullptr);
  Lossless unknown;
  unknown.dcb().trust.reset();
  CHECK(find(unknown.diagnose(), "dscp-trust-missing") == nullptr);
  CHECK(find_unknown(unknown.diagnose(), "dscp-trust-missing") != nullptr);
}

// The two looks are ten seconds apart, pause durations are in microseconds.
TEST_CASE("pauses are judged by their share of the time, in both directions") {
  Lossless below;
  below.statistic("tx_prio3_pause_duration", 100, 100 + 1'000'000);
  below.statistic("rx_prio3_pause_duration", 100, 100 + 500'000);
  CHECK(find(below.diagnose(), "pfc-storm") == nullptr);
  CHECK(find(below.diagnose(), "pfc-victim") == nullptr);
  Lossless above;
  above.statistic("tx_prio3_pause_duration", 100, 100 + 1'500'000);
  above.statistic("rx_prio3_pause_duration", 100, 100 + 600'000);
  CHECK(found(above.diagnose(), "pfc-storm") ==
        "this host pauses the network on priority 3 for 15 % of the time");
  CHECK(found(above.diagnose(), "pfc-victim") ==
        "the network pauses this host on priority 3 for 6 % of the time");
  CHECK(find(above.diagnose_one_look(), "pfc-storm") == nullptr);
  CHECK(find_unknown(above.diagnose_one_look(), "pfc-storm") != nullptr);
  Lossless reset;
  reset.statistic("tx_prio3_pause_duration", 9'000'000, 100);
  CHECK(find(reset.diagnose(), "pfc-storm") == nullptr);
  CHECK(find_unknown(reset.diagnose(), "pfc-storm") != nullptr);
}

TEST_CASE("drops are found on priorities with PFC, not on others") {
  Lossless bad;
  bad.statistic("rx_prio3_discards", 10, 15);
  bad.statistic("rx_prio0_discards", 10, 999);
  CHECK(found(bad.diagnose(), "lossless-drops") ==
        "5 packets dropped on priority 3, which has PFC, in 10 s");
  (*bad.dcb().pfc_enabled)[3] = false;
  CHECK(find(bad.diagnose(), "lossless-drops") == nullptr);
  bad.dcb().pfc_enabled.reset();
  CHECK(find_unknown(bad.diagnose(), "lossless-drops") != nullptr);
}

TEST_CASE("a bond's members are judged, the bond and virtual functions are not") {
  Lossless bond;
  bond.now.netdevs.push_back(bond.netdev());
  bond.now.netdevs[1].name = "bond0";
  bond.now.netdevs[1].is_bond = true;
  bond.now.netdevs[1].bond_members = {"eth2"};
  bond.now.netdevs[1].dcb.reset();
  bond.port_now().netdev = "bond0";
  bond.dcb().pfc_enabled->fill(true);
  const Diagnosis diagnosis = bond.diagnose();
  REQUIRE(find(diagnosis, "pfc-everywhere") != nullptr);
  CHECK(find(diagnosis, "pfc-everywhere")->subject.netdev == "eth2");
  bond.netdev().is_vf = true;
  CHECK(find(bond.diagnose(), "pfc-everywhere") == nullptr);
}

TEST_CASE("what drivers without DCB do not tell is not judged, nor is InfiniBand") {
  Lossless soft;
  soft.netdev().dcb.reset();
  soft.port_now().roce.reset();
  const Diagnosis diagnosis = soft.diagnose();
  for (const char* rule : {"pfc-missing", "pfc-everywhere", "pause-and-pfc", "ecn-off",
                           "dscp-trust-missing", "lossless-drops"}) {
    INFO(rule);
    CHECK(find(diagnosis, rule) == nullptr);
    CHECK(find_unknown(diagnosis, rule) != nullptr);
  }
  soft.now.protocol = Protocol::kInfiniband;
  CHECK(find_unknown(soft.diagnose(), "pfc-missing") == nullptr);
}

TEST_CASE("a health reporter in error is found until it has recovered") {
  TwoLooks bad;
  HealthReporter& reporter = bad.now.health.emplace_back();
  reporter.name = "fw";
  reporter.handle = "pci/0000:3b:00.0";
  reporter.state = 1;
  reporter.errors = 3;
  reporter.recoveries = 2;
  CHECK(found(bad.diagnose(), "device-unhealthy") ==
        "reporter fw of pci/0000:3b:00.0 is in error (3 errors, 2 recoveries)");
  reporter.state = 0;
  CHECK(find(bad.diagnose(), "device-unhealthy") == nullptr);
  reporter.state.reset();
  CHECK(find(bad.diagnose(), "device-unhealthy") == nullptr);
}
