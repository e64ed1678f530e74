// RDMA netlink first, sysfs for what it leaves empty.
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using core::IssueReason;
using core::Source;

namespace {

class FakeNetlink final : public host::NetlinkSource {
 public:
  std::vector<host::NetlinkDevice> devices;
  std::vector<host::NetlinkCounter> counters;
  int list_error = 0;
  int port_error = 0;
  int statistics_error = 0;
  int resources_error = 0;
  std::atomic<int> statistics_calls{0};

  core::Result<std::vector<host::NetlinkDevice>> list_devices() override {
    if (list_error != 0) return core::errno_error(list_error, "GET");
    return devices;
  }
  core::Result<host::NetlinkPort> port(std::uint32_t, std::uint32_t number) override {
    if (port_error != 0) return core::errno_error(port_error, "PORT_GET");
    host::NetlinkPort port;
    port.number = number;
    port.state = 4;
    port.physical_state = 5;
    port.netdev = "eth7";
    return port;
  }
  core::Result<std::vector<host::NetlinkCounter>> port_statistics(std::uint32_t,
                                                                  std::uint32_t) override {
    ++statistics_calls;
    if (statistics_error != 0) return core::errno_error(statistics_error, "STAT_GET");
    return counters;
  }
  core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t) override {
    if (resources_error != 0) return core::errno_error(resources_error, "RES_GET");
    return std::vector<core::ResourceCount>{{"qp", 130, std::nullopt}};
  }
  core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t) override {
    return std::vector<core::QueuePair>(3);
  }
  core::Result<bool> netns_shared() override { return true; }
};

struct NetlinkFixture : HostFixture {
  explicit NetlinkFixture(std::string_view tree_name, const std::string& device)
      : HostFixture(tree_name) {
    host::NetlinkDevice& entry = fake->devices.emplace_back();
    entry.index = 3;
    entry.name = device;
    entry.ports = 1;
    entry.firmware = "9.9.9";
    entry.node_guid = 0x0c42a10300651d7eU;
    entry.protocol = core::Protocol::kRoce;
    fake->counters = {{"out_of_buffer", 41}, {"brand_new", 2}};
    netlink = fake;
  }
  std::shared_ptr<FakeNetlink> fake = std::make_shared<FakeNetlink>();
};

}  // namespace

TEST_CASE("what netlink says is not read again from sysfs") {
  NetlinkFixture fixture("rxe", "rxe0");
  const HostPointer host = fixture.make()->collect();
  CHECK(host->netns_shared == true);
  const auto& device = device_of(*host, "rxe0");
  CHECK(device.netlink_index == 3U);
  CHECK(device.firmware == "9.9.9");
  CHECK(device.node_guid == "0c42:a103:0065:1d7e");
  CHECK(device.resources.front().current == 130);
  CHECK_FALSE(device.queue_pairs);
  const auto& port = device.ports.front();
  CHECK(port.is_up());
  CHECK(port.rate);
  CHECK(port.netdev == "eth7");
  CHECK(value_of(port.counters, "out_of_buffer") == 41U);
  CHECK(value_of(port.counters, "brand_new") == 2U);
  CHECK_FALSE(value_of(port.counters, "sent_pkts"));
  CHECK(port.lifespan_milliseconds);
  CHECK(fixture.files->reads_of("ports/1/state") == 0);
  CHECK(fixture.files->reads_of("hw_counters/sent_pkts") == 0);
  CHECK(device.issues.empty());
}

TEST_CASE("queue pairs are asked for only where wanted") {
  NetlinkFixture fixture("rxe", "rxe0");
  fixture.options.queue_pairs = true;
  CHECK(device_of(*fixture.make()->collect(), "rxe0").queue_pairs->size() == 3);
}

TEST_CASE("counters come from sysfs when netlink does not give them") {
  const int error_number = GENERATE(EINVAL, EMSGSIZE, EOPNOTSUPP);
  NetlinkFixture fixture("rxe", "rxe0");
  fixture.fake->statistics_error = error_number;
  const auto collector = fixture.make();
  HostPointer host;
  for (int round = 0; round < 10; ++round) {
    fixture.pass();
    host = collector->collect();
    const auto& device = device_of(*host, "rxe0");
    CHECK(value_of(device.ports.front().counters, "sent_pkts"));
    CHECK(device.issues.empty());
    CHECK(find_status(device.sources, Source::kRdmaNetlink)->success);
  }
  CHECK(fixture.fake->statistics_calls < 8);  // and is asked ever more rarely
}

TEST_CASE("each netlink call fails by itself") {
  NetlinkFixture fixture("rxe", "rxe0");
  fixture.fake->port_error = EIO;
  fixture.fake->resources_error = EPERM;
  fixture.fake->statistics_error = EIO;
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "rxe0");
  CHECK(device.ports.front().is_up());
  CHECK(device.ports.front().netdev == "eth0");
  CHECK(value_of(device.ports.front().counters, "sent_pkts"));
  CHECK(device.resources.empty());
  CHECK(find_issue(device.issues, "PORT_GET rxe0 port 1")->reason == IssueReason::kEio);
  CHECK(find_issue(device.issues, "STAT_GET rxe0 port 1")->reason == IssueReason::kEio);
  CHECK(find_issue(device.issues, "RES_GET rxe0")->reason == IssueReason::kEperm);
  CHECK_FALSE(find_status(device.sources, Source::kRdmaNetlink)->success);
}

TEST_CASE("where netlink is refused, sysfs lists the devices") {
  NetlinkFixture fixture("rxe", "rxe0");
  fixture.fake->list_error = EPERM;
  const HostPointer host = fixture.make()->collect();
  CHECK(value_of(port_of(*host, "rxe0").counters, "sent_pkts"));
  CHECK(find_issue(host->issues, "netlink:GET")->reason == IssueReason::kEperm);
  CHECK_FALSE(find_status(host->sources, Source::kRdmaNetlink)->success);
  CHECK(find_status(host->sources, Source::kSysfsPort)->success);
}

TEST_CASE("a device that only netlink shows is read by netlink alone") {
  NetlinkFixture fixture("no_rdma", "mlx5_0");
  const auto collector = fixture.make();
  HostPointer host = collector->collect();
  CHECK(value_of(port_of(*host, "mlx5_0").counters, "out_of_buffer") == 41U);
  CHECK(port_of(*host, "mlx5_0").is_up());
  CHECK(device_of(*host, "mlx5_0").issues.empty());

  // A listing that fails does not make it vanish; one that lacks it does.
  fixture.fake->list_error = EIO;
  collector->rescan();
  CHECK(find_entry(*collector->collect(), "mlx5_0")->present);
  fixture.fake->list_error = 0;
  fixture.fake->devices.clear();
  collector->rescan();
  CHECK_FALSE(find_entry(*collector->collect(), "mlx5_0")->present);
}

TEST_CASE("filters hold for netlink as well") {
  NetlinkFixture fixture("no_rdma", "mlx5_0");
  fixture.options.exclude = {"mlx5_0"};
  CHECK(fixture.make()->collect()->devices.empty());
  CHECK(fixture.fake->statistics_calls == 0);
}

TEST_CASE("without hw_counters wanted, netlink is not asked for them either") {
  NetlinkFixture fixture("rxe", "rxe0");
  fixture.options.disabled = {Source::kSysfsHwCounters};
  const HostPointer host = fixture.make()->collect();
  CHECK(port_of(*host, "rxe0").counters.empty());
  CHECK(fixture.fake->statistics_calls == 0);
}
