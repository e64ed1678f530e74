// The values that the sample trees must come to.
#include <catch2/catch.hpp>

#include "agent/core/gid.h"
#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;

TEST_CASE("bytes are words times four, whatever the width") {
  for (const char* rate : {"10 Gb/sec (1X QDR)", "100 Gb/sec (2X HDR)", "400 Gb/sec (4X NDR)",
                           "1200 Gb/sec (12X NDR)"}) {
    INFO(rate);
    HostFixture fixture("mlx5_ib_ndr");
    fixture.tree.write("sys/class/infiniband/mlx5_0/ports/1/rate", rate);
    fixture.tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1000\n");
    const HostPointer host = fixture.make()->collect();
    const auto& port = port_of(*host, "mlx5_0");
    CHECK(metric_of(port.counters, "rdma_port_rx_bytes_total") == 4000.0);
  }
}

TEST_CASE("the older directory of wide counters does not count twice") {
  HostFixture fixture("mlx5_ib_ndr");
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  fixture.tree.write(port + "counters/port_rcv_data", "4294967295\n");
  fixture.tree.write(port + "counters_ext/port_rcv_data_64", "5000000000\n");
  const HostPointer host = fixture.make()->collect();
  const auto& counters = port_of(*host, "mlx5_0").counters;
  CHECK(metric_of(counters, "rdma_port_rx_bytes_total") == 20e9);
  CHECK_FALSE(value_of(counters, "port_rcv_data"));
  CHECK(value_of(counters, "port_xmit_data"));
}

TEST_CASE("fields at the maximum of their width are saturated") {
  HostFixture fixture("broken_saturated");
  const HostPointer host = fixture.make()->collect();
  std::map<std::string, bool> saturated;
  for (const auto& sample : port_of(*host, "mlx4_0").counters) {
    saturated[std::string(sample.name())] = sample.saturated();
  }
  for (const char* name : {"local_link_integrity_errors", "link_downed", "symbol_error",
                           "port_xmit_data", "port_xmit_wait", "VL15_dropped"}) {
    INFO(name);
    CHECK(saturated.at(name));
  }
  CHECK_FALSE(saturated.at("port_rcv_packets"));
  CHECK_FALSE(saturated.at("port_rcv_constraint_errors"));
}

TEST_CASE("the cache time of hw_counters is a setting, not a counter") {
  HostFixture fixture("mlx5_ib_ndr");
  const HostPointer host = fixture.make()->collect();
  const auto& port = port_of(*host, "mlx5_0");
  CHECK(port.lifespan_milliseconds == 10U);
  CHECK_FALSE(value_of(port.counters, "lifespan"));
}

TEST_CASE("an InfiniBand port tells its addresses and no netdev") {
  HostFixture fixture("mlx5_ib_ndr");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  const auto& port = device.ports.front();
  CHECK(device.driver == "mlx5");
  CHECK(device.protocol == core::Protocol::kInfiniband);
  CHECK(device.board_id == "MT_0000000838");
  CHECK(device.hca_type == "MT4129");
  CHECK(device.node_type == 1);
  CHECK_FALSE(device.firmware.empty());
  CHECK(port.link_layer == core::LinkLayer::kInfiniband);
  CHECK(port.state == 4);
  CHECK(port.physical_state == 5);
  CHECK(port.rate->bits_per_second == 400e9);
  CHECK(port.rate->width_lanes == 4);
  CHECK(port.rate->speed_name == "NDR");
  CHECK(port.lid.value() > 0);
  CHECK(port.sm_lid == 1U);
  CHECK(port.subnet_prefix == 0xfe80000000000000U);
  CHECK(port.netdev.empty());
  CHECK(port.pkeys.value() >= 1);
  REQUIRE(port.gids.size() == 1);
  CHECK(port.gids.front().type == core::GidType::kIb);
  CHECK(device.netdevs.empty());
}

TEST_CASE("a down port keeps what the kernel says of it") {
  HostFixture fixture("mlx5_ib_ndr");
  const HostPointer host = fixture.make()->collect();
  const auto& port = port_of(*host, "mlx5_4");
  CHECK_FALSE(port.is_up());
  CHECK(port.physical_state == 2);
  CHECK(value_of(port.counters, "symbol_error") == 65535U);
}

TEST_CASE("PCIe link, errors and temperatures") {
  HostFixture fixture("mlx5_ib_ndr");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_3");
  CHECK(device.pcie.current_width_lanes == 8);
  CHECK(device.pcie.max_width_lanes == 16);
  CHECK(device.pcie.current_speed_transfers_per_second == 16e9);
  CHECK(device.pcie.max_speed_transfers_per_second == 32e9);
  CHECK(device.pcie.numa_node == 1);
  CHECK(device.pcie.local_cpus == "56-111,168-223");
  CHECK(device.pcie.aer_correctable == 56U);
  CHECK(device.pcie.aer_fatal == 0U);
  CHECK_FALSE(device.pcie.slot_max_width_lanes);
  REQUIRE(device.temperatures.size() == 2);
  CHECK(device.temperatures[0].sensor == "asic");
  CHECK(device.temperatures[0].celsius == 61);
  CHECK(device.temperatures[0].critical_celsius == 105.0);
  CHECK(device.temperatures[1].sensor == "module0");
  CHECK(device.temperatures[1].celsius == 48.5);
  CHECK(device.issues.empty());
}

TEST_CASE("temperatures are at most ten seconds old") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  const std::string asic = "sys/class/infiniband/mlx5_3/device/hwmon/hwmon3/temp1_input";
  const auto celsius = [&] {
    return device_of(*collector->collect(), "mlx5_3").temperatures.front().celsius;
  };
  CHECK(celsius() == 61);
  fixture.tree.write(asic, "90000\n");
  fixture.pass(std::chrono::seconds(9));
  CHECK(celsius() == 61);
  fixture.pass(std::chrono::seconds(1));
  CHECK(celsius() == 90);
}

TEST_CASE("a temperature that cannot be read is absent, tried at every read and told of") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  fixture.files->fail_read("mlx5_3/device/hwmon/hwmon3/temp1_input", EIO);
  const std::string path_end = "hwmon3/temp1_input";
  for (int read = 0; read < 2; ++read) {
    const HostPointer host = collector->collect();
    const auto& device = device_of(*host, "mlx5_3");
    REQUIRE(device.temperatures.size() == 1);
    CHECK(device.temperatures.front().sensor == "module0");
    CHECK(find_issue(device.issues, path_end) != nullptr);
    fixture.pass();
  }
  fixture.files->fail_read("mlx5_3/device/hwmon/hwmon3/temp1_input", 0);
  const HostPointer host = collector->collect();
  CHECK(device_of(*host, "mlx5_3").temperatures.size() == 2);
}

TEST_CASE("what changes without the counters' haste is read with the listings") {
  HostFixture fixture("mlx5_ib_ndr");
  const auto collector = fixture.make();
  const std::string device = "sys/class/infiniband/mlx5_3/";
  (void)collector->collect();
  fixture.tree.write(device + "device/current_link_width", "4\n");
  fixture.tree.write(device + "device/current_link_speed", "8.0 GT/s PCIe\n");
  fixture.tree.write(device + "ports/1/lid_mask_count", "3\n");
  fixture.tree.write(device + "ports/1/sm_lid", "0x7\n");
  fixture.pass();
  const HostPointer soon = collector->collect();
  CHECK(device_of(*soon, "mlx5_3").pcie.current_width_lanes == 8);
  CHECK(port_of(*soon, "mlx5_3").lid_mask_count == 0U);
  CHECK(port_of(*soon, "mlx5_3").sm_lid == 7U);
  fixture.pass(fixture.options.rescan_interval);
  const HostPointer later = collector->collect();
  CHECK(device_of(*later, "mlx5_3").pcie.current_width_lanes == 4);
  CHECK(device_of(*later, "mlx5_3").pcie.current_speed_transfers_per_second == 8e9);
  CHECK(port_of(*later, "mlx5_3").lid_mask_count == 3U);
}

TEST_CASE("a virtual function's unknown link is absent, and no issue") {
  HostFixture fixture("mlx5_roce_200g");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_2");
  CHECK_FALSE(device.pcie.current_width_lanes);
  CHECK_FALSE(device.pcie.current_speed_transfers_per_second);
  CHECK_FALSE(device.pcie.aer_correctable);
  CHECK(device.node_guid == "0000:0000:0000:0000");
  CHECK(device.ports.front().gids.empty());
  CHECK(device.issues.empty());
  CHECK(find_status(device.sources, core::Source::kPcie)->success);
}

TEST_CASE("a RoCE port tells its GIDs, its netdev and no LID") {
  HostFixture fixture("mlx5_roce_200g");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  const auto& port = device.ports.front();
  CHECK(device.protocol == core::Protocol::kRoce);
  CHECK_FALSE(port.lid);
  CHECK_FALSE(port.sm_lid);
  CHECK(port.netdev == "ens3f0np0");
  REQUIRE(port.gids.size() >= 2);
  CHECK(port.gids.front().netdev == "ens3f0np0");
  CHECK(core::choose_gid(port.gids, device.protocol).entry->type == core::GidType::kRoceV2);
  REQUIRE(device.netdevs.size() == 1);
  const auto& netdev = device.netdevs.front();
  CHECK(netdev.name == "ens3f0np0");
  CHECK(netdev.speed_bits_per_second == 200'000'000'000U);
  CHECK(netdev.carrier == true);
  CHECK(netdev.operstate == "up");
  CHECK(netdev.carrier_changes == 2U);
  CHECK(netdev.statistics.contains("rx_bytes"));
  CHECK_FALSE(netdev.is_bond);
}

TEST_CASE("a netdev without carrier, or that is down, has no speed") {
  HostFixture fixture("mlx5_roce_200g");
  const std::string netdev = "sys/class/net/ens3f0np0/";
  SECTION("-1") { fixture.tree.write(netdev + "speed", "-1\n"); }
  SECTION("-1, unsigned") { fixture.tree.write(netdev + "speed", "4294967295\n"); }
  SECTION("EINVAL") {
    fixture.files->fail_read("ens3f0np0/speed", EINVAL);
    fixture.files->fail_read("ens3f0np0/carrier", EINVAL);
  }
  const auto collector = fixture.make();
  for (int i = 0; i < 5; ++i) {
    fixture.pass();
    const HostPointer host = collector->collect();
    const auto& device = device_of(*host, "mlx5_0");
    CHECK_FALSE(device.netdevs.front().speed_bits_per_second);
    CHECK(device.issues.empty());
  }
}

TEST_CASE("devices without hw_counters, counters, rate or link layer are read as they are") {
  HostFixture efa("efa");
  const HostPointer with_efa = efa.make()->collect();
  const auto& device = device_of(*with_efa, "rdmap16s27");
  CHECK(device.protocol == core::Protocol::kEfa);
  CHECK(device.firmware.empty());
  CHECK_FALSE(device.counters.empty());
  CHECK(device.ports.front().link_layer == core::LinkLayer::kUnknown);
  CHECK(device.ports.front().gids.size() == 1);
  CHECK(device.issues.empty());

  HostFixture mana("mana");
  const HostPointer with_mana = mana.make()->collect();
  CHECK_FALSE(port_of(*with_mana, "mana_0").rate);
  CHECK(port_of(*with_mana, "mana_0").is_up());
  CHECK(device_of(*with_mana, "mana_0").issues.size() == 1);

  HostFixture siw("siw");
  const HostPointer with_siw = siw.make()->collect();
  CHECK(device_of(*with_siw, "siw0").protocol == core::Protocol::kIwarp);
  CHECK(port_of(*with_siw, "siw0").counters.empty());
  CHECK(port_of(*with_siw, "siw0").gids.front().type == core::GidType::kUnknown);
}

TEST_CASE("the second look sees what has changed") {
  HostFixture fixture("mlx5_roce_200g");
  const auto collector = fixture.make();
  const char* metric = "rdma_ecn_marked_received_total";
  const auto before = metric_of(port_of(*collector->collect(), "mlx5_1").counters, metric);
  fixture.tree.overlay("mlx5_roce_200g_t30s");
  fixture.pass();
  const auto after = metric_of(port_of(*collector->collect(), "mlx5_1").counters, metric);
  CHECK(after.value() > before.value());
}

TEST_CASE("odd values: what can be read is there, as clean text") {
  HostFixture fixture("broken_odd_values");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  CHECK(device.node_description == "bad \xef\xbf\xbd\xef\xbf\xbd \"quoted\" \\back\tTab");
  CHECK(device.driver.empty());
  REQUIRE(device.ports.size() == 3);
  const auto& port = device.ports[0];
  CHECK(port.state == 9);
  CHECK(port.physical_state == 0);
  CHECK(port.rate->bits_per_second == 0);
  CHECK(port.rate->speed_name == "XXX");
  CHECK(port.lifespan_milliseconds == 12U);
  CHECK(value_of(port.counters, "link_downed") == 7U);
  CHECK(value_of(port.counters, "port_xmit_wait") == 123U);
  CHECK(value_of(port.counters, "port_xmit_packets") == 18446744073709551615U);
  CHECK(value_of(port.counters, "name with space") == 3U);
  CHECK(value_of(port.counters, "Ünïcode") == 1U);
  CHECK(metric_of(port.counters, "rdma_rx_no_buffer_drops_total") == 5.0);
  CHECK(device.ports[1].state == 4);
  CHECK_FALSE(device.ports[2].state);
}

TEST_CASE("a port has one name") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.tree.write("sys/class/infiniband/mlx5_0/ports/01/state", "4: ACTIVE\n");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  CHECK(device.ports.size() == 1);
  CHECK(std::ranges::any_of(device.issues, [](const core::ReadIssue& issue) {
    return issue.path.ends_with("/ports/01") && issue.detail == "not a port number";
  }));
}
