#include "agent/host/devlink.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/host/devlink_handles.h"
#include "tests/support/fake_transport.h"
#include "tests/support/netlink_fixture.h"
#include "tests/support/source_fixture.h"

using namespace rdmadiag;
using namespace std::chrono_literals;
using test::sample_of;

namespace {

constexpr std::uint16_t kControl = 16;
constexpr std::uint16_t kFamily = 0x15;  // what the stored GETFAMILY reply says
constexpr int kInfo = 51;
constexpr int kGet = 52;
constexpr int kDiagnose = 55;

struct Setup : test::SourceFixture {
  std::shared_ptr<test::FakeTransport> kernel = std::make_shared<test::FakeTransport>();
  std::shared_ptr<host::DevlinkReporters> reporters = std::make_shared<host::DevlinkReporters>(
      std::make_shared<host::GenericNetlink>(kernel, "devlink"), host::launch_here);

  Setup() {
    kernel->answer(kControl, test::netlink_case("ethtool", "family").datagram);
    context.pci_directory = "/sys/devices/pci0000:3a/0000:3b:00.0";
  }
  void answer(int command, const char* name) {
    kernel->answer(kFamily, test::netlink_case("devlink", name).datagram, command);
  }
  std::unique_ptr<host::DeviceSource> make() { return host::devlink_source(reporters)(context); }
  int asked(int command) const {
    int count = 0;
    for (const auto& request : kernel->requests())
      if (request.type == kFamily && request.payload.front() == static_cast<std::byte>(command))
        ++count;
    return count;
  }
};

}  // namespace

TEST_CASE("reporters, overruns and versions come into the device") {
  Setup s;
  s.answer(kGet, "dump");
  s.answer(kGet, "reporter_error");
  s.answer(kDiagnose, "vnic_cut");
  s.answer(kInfo, "info");
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(s.success);
  REQUIRE(device.health.size() == 2);  // asked one by one after the list
  CHECK(device.health[0].name == "fw_fatal");
  CHECK(device.health[0].errors == 3U);
  CHECK(sample_of(device.counters, "cq_overrun") == 7U);
  CHECK(sample_of(device.counters, "comp_eq_overrun") == 3U);
  CHECK(sample_of(device.counters, "nic_receive_steering_discard") == 123456789012U);
  for (const core::CounterSample& sample : device.counters)
    CHECK(sample.source == core::CounterSource::kDeviceHwCounters);
  REQUIRE(device.firmware_versions.size() == 3);
  CHECK(device.firmware_versions[1].reset_pending());
}

TEST_CASE("the host's list is made every half minute, a device's reporters are asked each time") {
  Setup s;
  s.answer(kGet, "dump");
  s.answer(kGet, "reporter_healthy");
  s.answer(kInfo, "info");
  const auto source = s.make();
  (void)s.read(*source);
  CHECK(s.asked(kGet) == 3);
  (void)s.read(*source);
  CHECK(s.asked(kGet) == 5);
  CHECK(s.asked(kInfo) == 1);
  s.clock->advance(5min);
  (void)s.read(*source);
  CHECK(s.asked(kInfo) == 2);
}

TEST_CASE("without the right to diagnose the reporters are still there, and it is said") {
  Setup s;
  s.answer(kGet, "dump");
  s.kernel->refuse(kFamily, EPERM, kDiagnose);
  const auto source = s.make();
  for (int i = 0; i < 2; ++i) {
    const auto device = s.read(*source);
    CHECK(s.success);
    CHECK(device.health.size() == 2);
    CHECK_FALSE(sample_of(device.counters, "cq_overrun"));
    REQUIRE(s.issues.size() == 1);
    CHECK(s.issues[0].path == "devlink pci/0000:3b:00.0: DIAGNOSE vnic");
    CHECK(s.issues[0].reason == core::IssueReason::kEperm);
  }
  CHECK(s.errors(core::Source::kDevlink) == 0);
  CHECK(s.asked(kDiagnose) == 1);
}

TEST_CASE("reporters of other devices are not this device's") {
  Setup s;
  s.context.pci_directory = "/sys/devices/pci0000:3a/0000:5e:00.0";
  s.answer(kGet, "dump");
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(device.health.empty());
  CHECK(s.asked(kGet) == 1);
}

TEST_CASE("a host without devlink is no error") {
  Setup s;
  s.kernel->forget(kControl);
  s.kernel->refuse(kControl, ENOENT);
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(s.success);
  CHECK(device.health.empty());
  CHECK(s.issues.empty());
}

TEST_CASE("a device that stopped answering is an error of its own source") {
  Setup s;
  s.answer(kGet, "dump");
  s.kernel->refuse(kFamily, ETIMEDOUT, kGet);
  const auto source = s.make();
  (void)s.read(*source);
  CHECK_FALSE(s.success);
  CHECK(s.errors(core::Source::kDevlink) == 2);
}

TEST_CASE("kernels before the vnic reporter have its counters in debugfs") {
  Setup s;
  const std::string directory = "sys/kernel/debug/mlx5/0000:3b:00.0/esw/pf/vnic_diag/";
  s.tree.write(directory + "total_q_under_processor_handle", "2\n");
  s.tree.write(directory + "cq_overrun", "9\n");
  s.tree.write(directory + "async_eq_overrun", "x\n");
  s.files->fail_open("vnic_diag/invalid_command", EACCES);
  const auto source = s.make();
  const auto device = s.read(*source);
  CHECK(sample_of(device.counters, "cq_overrun") == 9U);
  CHECK(sample_of(device.counters, "total_error_queues") == 2U);
  CHECK(device.counters.size() == 2);
  CHECK(s.errors(core::Source::kDevlink) == 1);
}

TEST_CASE("with a vnic reporter debugfs is not read: one count, once") {
  Setup s;
  s.answer(kGet, "dump");
  s.answer(kDiagnose, "vnic");
  s.tree.write("sys/kernel/debug/mlx5/0000:3b:00.0/esw/pf/vnic_diag/cq_overrun", "7\n");
  const auto source = s.make();
  const auto counters = s.read(*source).counters;
  CHECK(std::count_if(counters.begin(), counters.end(),
                      [](const auto& c) { return c.name() == "cq_overrun"; }) == 1);
}

TEST_CASE("a device is found by its PCI function, its netdev's parent and its auxiliary devices") {
  Setup s;
  const auto pci = s.tree.at("sys/devices/pci0000:3a/0000:3b:00.0");
  s.tree.make_directory("sys/bus/netdevsim");
  s.tree.make_directory("sys/devices/netdevsim10");
  s.tree.make_link("sys/devices/netdevsim10/subsystem", s.tree.at("sys/bus/netdevsim").string());
  s.tree.make_link("sys/class/net/eth2/device", s.tree.at("sys/devices/netdevsim10").string());
  s.tree.make_directory("sys/devices/pci0000:3a/0000:3b:00.0/mlx5_core.eth.0");
  s.tree.make_directory("sys/devices/pci0000:3a/0000:3b:00.01/mlx5_core.eth.1");
  for (const char* name : {"0/mlx5_core.eth.0", "01/mlx5_core.eth.1"})
    s.tree.make_link(
        "sys/bus/auxiliary/devices/" + std::string(name).substr(std::string(name).find('/') + 1),
        s.tree.at("sys/devices/pci0000:3a/0000:3b:00.").string() + name);
  s.context.pci_directory = s.files->resolve(pci.string());
  CHECK(host::devlink_handles(s.context, s.device(),
                              {"auxiliary/mlx5_core.eth.0", "auxiliary/mlx5_core.eth.1",
                               "auxiliary/none", "pci/0000:99:00.0"}) ==
        std::set<std::string>{"pci/0000:3b:00.0", "netdevsim/netdevsim10",
                              "auxiliary/mlx5_core.eth.0"});
}
