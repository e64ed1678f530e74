#include "agent/host/dcb.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>

#include "agent/host/dcb_messages.h"
#include "tests/support/fake_transport.h"
#include "tests/support/netlink_fixture.h"
#include "tests/support/source_fixture.h"

using namespace rdmadiag;
using test::sample_of;

namespace {

struct Setup : test::SourceFixture {
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();

  std::unique_ptr<host::DeviceSource> make() { return host::dcb_source(kernel)(context); }
  void answer(const char* name) {
    kernel->answer(host::kRtmGetDcb, test::netlink_case("dcb", name).datagram);
  }
  // A device whose netdev has this driver, as the ethtool source leaves it.
  core::DeviceSnapshot with_driver(const char* driver) const {
    auto snapshot = device();
    snapshot.netdevs[0].ethtool.emplace().driver = driver;
    return snapshot;
  }
};

}  // namespace

TEST_CASE("DCB's settings come into the netdev") {
  Setup s;
  s.answer("full");
  const auto source = s.make();
  const auto device = s.read(*source, s.with_driver("bnxt_en"));
  CHECK(s.success);
  REQUIRE(device.netdevs[0].dcb);
  const core::DcbSnapshot& dcb = *device.netdevs[0].dcb;
  CHECK(dcb.pfc_enabled->at(3));
  CHECK_FALSE(dcb.pfc_enabled->at(4));
  CHECK(dcb.priority_of_dscp(26) == 3);
  CHECK_FALSE(dcb.trust);  // bnxt does not say
}

TEST_CASE("PFC frames are believed from drivers that count them") {
  const auto [driver, sent, received] =
      GENERATE(table<const char*, std::optional<std::uint64_t>, std::optional<std::uint64_t>>({
          {"bnxt_en", 123456789012U, 42U},
          {"hns3", 123456789012U, 42U},
          {"ixgbe", 42U, 123456789012U},  // the two are swapped there
          {"newnic", 123456789012U, 42U},
          {"mlx5_core", {}, {}},  // a stale cache
          {"qede", {}, {}},
          {"mlx4_en", {}, {}},
          {"cxgb4", {}, {}},
      }));
  INFO(driver);
  Setup s;
  s.answer("full");
  const auto source = s.make();
  const auto device = s.read(*source, s.with_driver(driver));
  CHECK(sample_of(device.netdevs[0].counters, "dcb-pfc-requests-3") == sent);
  CHECK(sample_of(device.netdevs[0].counters, "dcb-pfc-indications-3") == received);
}

TEST_CASE("zeros of an unknown driver are not counts, of a known one they are") {
  Setup s;
  const std::vector<std::byte> zeros(136);
  host::PayloadWriter payload;
  payload.raw(host::Bytes(zeros).first(4)).nest(13, host::PayloadWriter().attribute(2, zeros));
  const std::uint32_t length = static_cast<std::uint32_t>(16 + payload.bytes().size());
  std::vector<std::byte> datagram(16);
  std::memcpy(datagram.data(), &length, sizeof length);
  datagram[4] = std::byte{78};
  datagram.insert(datagram.end(), payload.bytes().begin(), payload.bytes().end());
  s.kernel->answer(host::kRtmGetDcb, datagram);
  const auto source = s.make();
  CHECK(s.read(*source, s.with_driver("newnic")).netdevs[0].counters.empty());
  CHECK(s.read(*source, s.with_driver("ice")).netdevs[0].counters.size() == 16);
}

TEST_CASE("PFC frames that ethtool has counted are not counted again") {
  Setup s;
  s.answer("full");
  auto device = s.with_driver("bnxt_en");
  const auto* spec =
      core::find_counter(core::CounterSource::kEthtool, "bnxt_en", "rx_pfc_ena_frames_pri3");
  device.netdevs[0].counters.push_back({core::CounterSource::kEthtool, spec, {}, 40});
  const auto source = s.make();
  const auto read = s.read(*source, device);
  CHECK(sample_of(read.netdevs[0].counters, "rx_pfc_ena_frames_pri3") == 40U);
  for (int i = 0; i < 8; ++i)
    CHECK_FALSE(sample_of(read.netdevs[0].counters, "dcb-pfc-indications-" + std::to_string(i)));
  CHECK(sample_of(read.netdevs[0].counters, "dcb-pfc-requests-3") == 123456789012U);
}

TEST_CASE("a virtual function does not claim its port's PFC frames") {
  Setup s;
  s.answer("full");
  auto device = s.with_driver("bnxt_en");
  device.netdevs[0].is_vf = true;
  const auto source = s.make();
  const auto read = s.read(*source, device);
  CHECK(read.netdevs[0].counters.empty());
  CHECK(read.netdevs[0].dcb);
}

TEST_CASE("without ethtool the netdev's driver is known by the RDMA driver") {
  Setup s;
  s.answer("full");
  const auto source = s.make();
  const auto device = s.read(*source);  // mlx5, nothing from ethtool
  CHECK(device.netdevs[0].counters.empty());
  CHECK(device.netdevs[0].dcb->trust == core::Trust::kDscp);
  CHECK(device.netdevs[0].dcb->trust_learnt_from == "dcb app table");
}

TEST_CASE("the vendor's trust file is believed before the application table") {
  Setup s;
  s.answer("full");
  s.tree.write("sys/class/net/eth2/qos/trust", "pcp\n");
  const auto source = s.make();
  const auto device = s.read(*source, s.with_driver("mlx5_core"));
  CHECK(device.netdevs[0].dcb->trust == core::Trust::kPcp);
  CHECK(device.netdevs[0].dcb->trust_learnt_from == "sysfs qos/trust");
}

TEST_CASE("a netdev without DCB is no error and not asked again before refresh") {
  Setup s;
  const auto source = s.make();
  for (int i = 0; i < 3; ++i) {
    const auto device = s.read(*source);
    CHECK(s.success);
    CHECK_FALSE(device.netdevs[0].dcb);
    REQUIRE(s.issues.size() == 1);
    CHECK(s.issues[0].path == "dcb eth2: IEEE_GET");
    CHECK(s.issues[0].reason == core::IssueReason::kEopnotsupp);
    CHECK(s.issues[0].backing_off);
  }
  CHECK(s.errors(core::Source::kDcb) == 0);
  CHECK(s.kernel->requests().size() == 1);
  s.answer("full");
  source->refresh();
  CHECK(s.read(*source).netdevs[0].dcb);
}

TEST_CASE("a failed request is an error of the source") {
  Setup s;
  s.kernel->refuse(host::kRtmGetDcb, ENODEV);
  const auto source = s.make();
  (void)s.read(*source);
  CHECK_FALSE(s.success);
  CHECK(s.errors(core::Source::kDcb) == 1);
}
