#include "agent/host/ethtool.h"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/fake_ethtool.h"
#include "tests/support/fake_transport.h"
#include "tests/support/netlink_fixture.h"
#include "tests/support/source_fixture.h"

using namespace rdmadiag;
using core::Source;
using test::sample_of;

namespace {

constexpr std::uint16_t kFamily = 0x15;
constexpr std::uint16_t kControl = 16;

struct Setup : test::SourceFixture {
  std::shared_ptr<test::FakeEthtoolIoctl> ioctl = std::make_shared<test::FakeEthtoolIoctl>();
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();

  Setup() {
    kernel->answer(kControl, test::netlink_case("ethtool", "family").datagram);
    ioctl->netdevs["eth2"].statistics = {{"rx_prio3_pause", 7}, {"rx_crc_errors_phy", 4}};
  }
  void answer(int command, const char* name) {
    kernel->answer(kFamily, test::netlink_case("ethtool", name).datagram, command);
  }
  void answer_all() {
    answer(4, "linkmodes");
    answer(6, "linkstate_up");
    answer(21, "pause");
    answer(29, "fec");
    answer(32, "statistics");
  }
  std::unique_ptr<host::DeviceSource> make() {
    return host::ethtool_source(
        {.ioctl = ioctl,
         .netlink = std::make_shared<host::GenericNetlink>(kernel, "ethtool"),
         .launch = host::launch_here})(context);
  }
};

// The flags in the header of each question that was asked, by command.
std::map<int, std::uint32_t> asked_flags(const test::FakeTransport& kernel) {
  std::map<int, std::uint32_t> flags;
  for (const host::NetlinkRequest& request : kernel.requests()) {
    if (request.type != kFamily) continue;
    const auto message = host::decode_generic(request.payload);
    REQUIRE(message);
    std::uint32_t& found = flags[message->command];
    const std::uint16_t header = message->command == 32 ? 2 : 1;
    CHECK(host::walk_attributes(message->attributes, [&](const host::Attribute& top) {
      return top.type != header ||
             host::walk_attributes(top.payload, [&](const host::Attribute& field) {
               if (field.type == 3) found = field.u32().value_or(0);
               return true;
             });
    }));
  }
  return flags;
}

bool is_listed(const std::vector<core::ReadIssue>& issues, const std::string& path, bool counted) {
  for (const core::ReadIssue& issue : issues)
    if (issue.path == path && issue.backing_off != counted) return true;
  return false;
}

}  // namespace

TEST_CASE("ethtool's answers come together in the netdev") {
  Setup s;
  s.answer_all();
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(s.success);
  const core::NetdevSnapshot& netdev = device.netdevs[0];
  REQUIRE(netdev.ethtool);
  CHECK(netdev.ethtool->driver == "mlx5_core");
  CHECK(netdev.ethtool->firmware == "28.39.1002");
  CHECK(netdev.ethtool->link.speed_bits_per_second == 100'000'000'000U);
  CHECK(netdev.ethtool->link.lanes == 4);
  CHECK(netdev.ethtool->link.up == true);
  CHECK(netdev.ethtool->pause->receive == true);
  CHECK(netdev.ethtool->fec->active == "RS");
  CHECK(sample_of(netdev.counters, "rx_prio3_pause") == 7U);
  CHECK(sample_of(netdev.counters, "link-ext-down-count") == 3U);
  CHECK(sample_of(netdev.counters, "pause-tx-frames") == 11U);
  CHECK(sample_of(netdev.counters, "fec-uncorrectable-blocks-lane-0") == 7U);
  CHECK(sample_of(netdev.counters, "rmon-etherStatsFragments") == 8U);
}

// Kernels answer EINVAL to the flag of statistics (4) where a question has none.
TEST_CASE("statistics are asked for only where the kernel has them") {
  Setup s;
  s.answer_all();
  const auto source = s.make();
  (void)s.read(*source);
  const auto flags = asked_flags(*s.kernel);
  CHECK(flags.at(4) == 1U);
  CHECK(flags.at(6) == 1U);
  CHECK(flags.at(21) == 5U);
  CHECK(flags.at(29) == 5U);
  CHECK(flags.at(32) == 1U);
}

TEST_CASE("a standard count is not added to the driver's own, nor to another standard one") {
  Setup s;
  s.answer_all();
  const auto source = s.make();
  const auto counters = s.read(*source).netdevs[0].counters;
  CHECK(sample_of(counters, "rx_crc_errors_phy") == 4U);
  CHECK_FALSE(sample_of(counters, "eth-mac-FrameCheckSequenceErrors"));
  CHECK(sample_of(counters, "eth-mac-FrameTooLongErrors") == 2U);
  CHECK_FALSE(sample_of(counters, "rmon-etherStatsOversizePkts"));
  std::map<std::pair<std::string_view, std::string_view>, int> series;
  for (const core::CounterSample& sample : counters)
    CHECK(++series[{sample.spec->metric->name, sample.spec->index}] == 1);
}

TEST_CASE("what is not supported is listed in one entry, is no error, and is not asked again") {
  Setup s;
  s.answer(6, "linkstate_down");
  const auto source = s.make();
  auto device = s.read(*source);
  CHECK(s.success);
  CHECK(device.netdevs[0].ethtool->link.extended_state == 4);
  CHECK_FALSE(device.netdevs[0].ethtool->pause);
  CHECK(is_listed(s.issues, "ethtool eth2: FEC_GET, LINKMODES_GET, PAUSE_GET, STATS_GET", false));
  CHECK(s.errors(Source::kEthtool) == 0);
  const auto asked = s.kernel->requests().size();
  device = s.read(*source);
  CHECK(s.kernel->requests().size() == asked + 1);  // LINKSTATE_GET
  CHECK(is_listed(s.issues, "ethtool eth2: FEC_GET, LINKMODES_GET, PAUSE_GET, STATS_GET", false));
  CHECK(s.ioctl->driver_calls == 1);

  s.answer(21, "pause");
  source->refresh();
  device = s.read(*source);
  CHECK(device.netdevs[0].ethtool->pause);
}

TEST_CASE("one question that fails loses its own answer and is asked again") {
  Setup s;
  s.answer_all();
  s.kernel->forget(kFamily, 29);
  s.kernel->refuse(kFamily, EIO, 29);
  s.answer(29, "fec");
  const auto source = s.make();
  auto device = s.read(*source);
  CHECK(s.success);
  CHECK_FALSE(device.netdevs[0].ethtool->fec);
  CHECK(device.netdevs[0].ethtool->pause);
  CHECK(is_listed(s.issues, "ethtool eth2: FEC_GET", true));
  CHECK(s.errors(Source::kEthtool) == 1);
  device = s.read(*source);
  CHECK(device.netdevs[0].ethtool->fec);
}

TEST_CASE("private statistics that fail leave the standard ones") {
  Setup s;
  s.answer_all();
  s.ioctl->netdevs["eth2"].statistics_error = EBUSY;
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(is_listed(s.issues, "ethtool eth2: GSTATS", true));
  CHECK(sample_of(device.netdevs[0].counters, "eth-mac-FrameCheckSequenceErrors") == 1U);
}

TEST_CASE("a netdev that is not there any more is an error of the source") {
  Setup s;
  s.ioctl->netdevs.clear();
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK_FALSE(s.success);
  CHECK_FALSE(device.netdevs[0].ethtool);
  CHECK(is_listed(s.issues, "ethtool eth2: GDRVINFO", true));
}

TEST_CASE("a bond is passed over, its members are read") {
  Setup s;
  s.ioctl->netdevs["eth3"].statistics = {{"rx_prio3_pause", 9}};
  auto device = s.device();
  device.netdevs[0].name = "bond0";
  device.netdevs[0].is_bond = true;
  for (const char* name : {"eth2", "eth3"}) {
    device.netdevs.emplace_back();
    device.netdevs.back().name = name;
    device.netdevs.back().is_bond_member = true;
  }
  const auto source = s.make();
  const auto read = s.read(*source, device);
  CHECK(s.success);
  CHECK_FALSE(read.netdevs[0].ethtool);
  CHECK(sample_of(read.netdevs[1].counters, "rx_prio3_pause") == 7U);
  CHECK(sample_of(read.netdevs[2].counters, "rx_prio3_pause") == 9U);
}

TEST_CASE("a virtual function has no port statistics and no transceiver") {
  Setup s;
  s.answer_all();
  auto device = s.device();
  device.netdevs[0].is_vf = true;
  const auto source = s.make();
  const auto read = s.read(*source, device);
  CHECK(read.netdevs[0].counters.empty());
  CHECK(read.netdevs[0].ethtool->link.up == true);
  for (const auto& request : s.kernel->requests())
    CHECK_FALSE((request.type == kFamily && request.payload.front() == std::byte{31}));
}

TEST_CASE("a kernel without the ethtool family still gives private statistics") {
  Setup s;
  s.kernel->forget(kControl);
  s.kernel->refuse(kControl, ENOENT);
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(s.success);
  CHECK(sample_of(device.netdevs[0].counters, "rx_prio3_pause") == 7U);
  CHECK(s.errors(Source::kEthtool) == 0);
}

TEST_CASE("extra statistics are taken as configured") {
  Setup s;
  s.ioctl->netdevs["eth2"].statistics.emplace_back("rx_xsk_drop", 3);
  s.context.options.ethtool_extra = {"xsk"};
  const auto source = s.make();
  CHECK(sample_of(s.read(*source).netdevs[0].counters, "rx_xsk_drop") == 3U);
}
