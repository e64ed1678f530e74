#include "agent/host/roce_settings.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/source_fixture.h"

using namespace rdmadiag;

namespace {

struct Setup : test::SourceFixture {
  std::optional<core::RoceSettings> settings() {
    context.session->begin();
    auto found = host::read_roce_settings(context, 1, "eth2", log);
    issues = log.take();
    return found;
  }
  void write_enabled(const std::string& role, const std::string& bits) {
    for (std::size_t i = 0; i < bits.size(); ++i)
      tree.write("sys/class/net/eth2/ecn/" + role + "/enable/" + std::to_string(i),
                 std::string(1, bits[i]) + "\n");
  }
};

}  // namespace

TEST_CASE("a traffic class is read in any of its forms") {
  using host::parse_traffic_class;
  CHECK(parse_traffic_class("Global tclass=106\n") == 106);
  CHECK(parse_traffic_class("Global tclass=106\nother line\n") == 106);
  CHECK(parse_traffic_class("96\n") == 96);
  CHECK_FALSE(parse_traffic_class(""));
  CHECK_FALSE(parse_traffic_class("Global tclass=\n"));
  CHECK_FALSE(parse_traffic_class("Global tclass=-1\n"));
  CHECK_FALSE(parse_traffic_class("Global tclass=256\n"));
  CHECK_FALSE(parse_traffic_class("99999999999999999999"));
}

TEST_CASE("where nothing is shown nothing is known") {
  Setup s;
  CHECK_FALSE(s.settings());
  CHECK(s.issues.empty());
}

TEST_CASE("the vendor's files are read") {
  Setup s;
  s.write_enabled("roce_np", "00010000");
  s.write_enabled("roce_rp", "11111111");
  s.tree.write("sys/class/net/eth2/ecn/roce_np/cnp_dscp", "48\n");
  s.tree.write("sys/class/net/eth2/ecn/roce_np/cnp_802p_prio", "6\n");
  s.tree.write("sys/class/infiniband/mlx5_0/tc/1/traffic_class", "Global tclass=106\n");
  s.tree.write("sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", "106\n");
  s.tree.write("sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode", "RoCE v2\n");
  const auto settings = s.settings();
  REQUIRE(settings);
  CHECK(s.issues.empty());
  CHECK(settings->ecn_notification_point->at(3));
  CHECK_FALSE(settings->ecn_notification_point->at(2));
  CHECK(settings->ecn_reaction_point->at(7));
  CHECK(settings->cnp_dscp == 48);
  CHECK(settings->cnp_priority == 6);
  CHECK(settings->traffic_class == 106);
  CHECK(settings->default_tos == 106);
  CHECK(settings->default_mode == "RoCE v2");
}

TEST_CASE("priorities that are shown in part are not known, rather than off") {
  Setup s;
  s.write_enabled("roce_np", "0001");
  CHECK_FALSE(s.settings());
}

TEST_CASE("a value out of range is an issue and not a setting") {
  Setup s;
  s.tree.write("sys/class/net/eth2/ecn/roce_np/cnp_dscp", "64\n");
  s.tree.write("sys/class/net/eth2/ecn/roce_np/cnp_802p_prio", "-1\n");
  CHECK_FALSE(s.settings());
  CHECK(s.issues.size() == 2);
  CHECK(s.errors(core::Source::kDcb) == 2);
}

TEST_CASE("debugfs tells the CNP's DSCP where the netdev does not, given the right") {
  Setup s;
  s.context.pci_directory = "/sys/devices/pci0000:3a/0000:3b:00.0";
  const std::string directory = "sys/kernel/debug/mlx5/0000:3b:00.0/cc_params/";
  s.tree.write(directory + "np_cnp_dscp", "48\n");
  s.tree.write(directory + "np_cnp_prio", "6\n");
  CHECK(s.settings()->cnp_dscp == 48);
  CHECK(s.settings()->cnp_priority == 6);

  s.files->fail_open("np_cnp_dscp", EACCES);
  const auto without_right = s.settings();
  REQUIRE(without_right);
  CHECK_FALSE(without_right->cnp_dscp);
  REQUIRE(s.issues.size() == 1);
  CHECK(s.issues[0].reason == core::IssueReason::kEperm);
  CHECK(s.issues[0].backing_off);
  CHECK(s.errors(core::Source::kDcb) == 0);
}
