// The layout of a live sysfs, where class entries are links into devices: PCI functions, auxiliary
// devices, virtual functions, bonds.
#include <catch2/catch.hpp>
#include <string>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;

namespace {

const std::string kBridge = "sys/devices/pci0000:3a/0000:3a:00.0";
const std::string kFunction = kBridge + "/0000:3b:00.0";

void add_function(SampleTree& tree, const std::string& function, const std::string& id) {
  tree.write(function + "/vendor", "0x15b3\n");
  tree.write(function + "/device", id + "\n");
  tree.write(function + "/current_link_width", "16\n");
  tree.write(function + "/max_link_width", "16\n");
  tree.write(function + "/current_link_speed", "32.0 GT/s PCIe\n");
}

// `parent` is the device that the RDMA device sits on, given from the root.
void add_rdma_device(SampleTree& tree, const std::string& parent, const std::string& name,
                     const std::string& netdev) {
  const std::string device = parent + "/infiniband/" + name;
  tree.write(device + "/node_type", "1: CA\n");
  tree.write(device + "/node_guid", "0c42:a103:0065:1d7e\n");
  tree.write(device + "/ports/1/state", "4: ACTIVE\n");
  tree.write(device + "/ports/1/phys_state", "5: LinkUp\n");
  tree.write(device + "/ports/1/rate", "100 Gb/sec (4X EDR)\n");
  tree.write(device + "/ports/1/link_layer", "Ethernet\n");
  tree.write(device + "/ports/1/cap_mask", "0x00010000\n");
  tree.write(device + "/ports/1/gids/0", "fe80:0000:0000:0000:0e42:a1ff:fe65:1d7e\n");
  tree.write(device + "/ports/1/gid_attrs/types/0", "RoCE v2\n");
  tree.write(device + "/ports/1/gid_attrs/ndevs/0", netdev + "\n");
  tree.write(device + "/ports/1/hw_counters/rx_read_requests", "1\n");
  tree.write(device + "/sys_image_guid", "0c42:a103:0065:1d7e\n");
  tree.make_link(device + "/device", "../..");
  tree.make_link("sys/class/infiniband/" + name, "../../../" + device);
}

void add_netdev(SampleTree& tree, const std::string& parent, const std::string& name) {
  const std::string netdev = parent + "/net/" + name;
  tree.write(netdev + "/mtu", "9000\n");
  tree.write(netdev + "/speed", "100000\n");
  tree.write(netdev + "/operstate", "up\n");
  tree.make_link(netdev + "/device", "../..");
  tree.make_link("sys/class/net/" + name, "../../../" + netdev);
}

void add_driver(SampleTree& tree, const std::string& device, const std::string& driver) {
  const std::string path = tree.at("sys/bus/pci/drivers/" + driver).string();
  tree.make_directory("sys/bus/pci/drivers/" + driver);
  tree.make_link(device + "/driver", path);
}

}  // namespace

TEST_CASE("the driver, the address and the slot come from the PCI function") {
  HostFixture fixture;
  SampleTree& tree = fixture.tree;
  add_function(tree, kFunction, "0x1021");
  add_driver(tree, kFunction, "mlx5_core");
  tree.write(kBridge + "/max_link_width", "8\n");
  tree.write(kBridge + "/max_link_speed", "16.0 GT/s PCIe\n");
  add_netdev(tree, kFunction, "ens1");
  add_rdma_device(tree, kFunction, "rocep59s0", "ens1");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "rocep59s0");
  CHECK(device.driver == "mlx5");
  CHECK(device.pcie.address == "0000:3b:00.0");
  CHECK(device.pcie.current_width_lanes == 16);
  CHECK(device.pcie.slot_max_width_lanes == 8);
  CHECK(device.pcie.slot_max_speed_transfers_per_second == 16e9);
  CHECK_FALSE(device.pcie.is_vf);
  CHECK(device.netdevs.front().name == "ens1");
  CHECK(device.issues.empty());
}

TEST_CASE("a device on the auxiliary bus has the PCI function above it") {
  HostFixture fixture;
  SampleTree& tree = fixture.tree;
  const std::string auxiliary = kFunction + "/ice.roce.0";
  add_function(tree, kFunction, "0x1592");
  add_driver(tree, kFunction, "ice");
  add_driver(tree, auxiliary, "irdma.gen_2");
  add_rdma_device(tree, auxiliary, "rocep59s0", "ens1");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "rocep59s0");
  CHECK(device.driver == "irdma");
  CHECK(device.pcie.address == "0000:3b:00.0");
  CHECK(device.pcie.current_width_lanes == 16);
  // Its netdev is in another network namespace: a name, and nothing more.
  CHECK(device.ports.front().netdev == "ens1");
  CHECK(device.netdevs.empty());
}

TEST_CASE("an unknown driver is passed through") {
  HostFixture fixture;
  add_function(fixture.tree, kFunction, "0x1021");
  add_driver(fixture.tree, kFunction, "brand_new");
  add_rdma_device(fixture.tree, kFunction, "rdma0", "ens1");
  const HostPointer host = fixture.make()->collect();
  CHECK(device_of(*host, "rdma0").driver == "brand_new");
}

TEST_CASE("the driver is in uevent where the link is not") {
  HostFixture fixture;
  add_function(fixture.tree, kFunction, "0x9999");
  fixture.tree.write(kFunction + "/uevent", "DRIVER=bnxt_en\nPCI_SLOT_NAME=0000:3b:00.0\n");
  add_rdma_device(fixture.tree, kFunction, "rdma0", "ens1");
  CHECK(device_of(*fixture.make()->collect(), "rdma0").driver == "bnxt_re");
}

TEST_CASE("a virtual function is told by its link to the physical one") {
  HostFixture fixture;
  SampleTree& tree = fixture.tree;
  const std::string vf = kBridge + "/0000:3b:00.2";
  add_function(tree, kFunction, "0x1021");
  add_function(tree, vf, "0x101e");
  tree.make_link(vf + "/physfn", "../0000:3b:00.0");
  add_netdev(tree, vf, "ens1v0");
  add_rdma_device(tree, vf, "mlx5_2", "ens1v0");
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_2");
  CHECK(device.pcie.is_vf);
  CHECK(device.netdevs.front().is_vf);
}

TEST_CASE("a bond is read with its members") {
  HostFixture fixture;
  SampleTree& tree = fixture.tree;
  add_function(tree, kFunction, "0x1021");
  add_netdev(tree, kFunction, "ens1f0");
  add_netdev(tree, kFunction, "ens1f1");
  add_netdev(tree, "sys/devices/virtual", "bond0");
  tree.write("sys/devices/virtual/net/bond0/bonding/slaves", "ens1f0 ens1f1\n");
  for (const std::string member : {"ens1f0", "ens1f1"}) {
    tree.make_link(kFunction + "/net/" + member + "/master",
                   tree.at("sys/devices/virtual/net/bond0").string());
    tree.write(kFunction + "/net/" + member + "/bonding_slave/state", "active\n");
  }
  SECTION("named by a member") { add_rdma_device(tree, kFunction, "mlx5_bond_0", "ens1f0"); }
  SECTION("named by the bond") { add_rdma_device(tree, kFunction, "mlx5_bond_0", "bond0"); }
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_bond_0");
  CHECK(device.ports.front().netdev == "bond0");
  REQUIRE(device.netdevs.size() == 3);
  CHECK(device.netdevs[0].name == "bond0");
  CHECK(device.netdevs[0].is_bond);
  CHECK(device.netdevs[0].bond_members == std::vector<std::string>{"ens1f0", "ens1f1"});
  CHECK(device.netdevs[1].name == "ens1f0");
  CHECK(device.netdevs[1].is_bond_member);
  CHECK(device.netdevs[1].master == "bond0");
  CHECK(device.netdevs[2].speed_bits_per_second == 100'000'000'000U);
}

TEST_CASE("empty GID slots answer EINVAL, which is no issue") {
  HostFixture fixture;
  SampleTree& tree = fixture.tree;
  add_function(tree, kFunction, "0x1021");
  add_rdma_device(tree, kFunction, "mlx5_0", "ens1");
  const std::string port = kFunction + "/infiniband/mlx5_0/ports/1/";
  for (int slot = 1; slot < 255; ++slot) {
    const std::string number = std::to_string(slot);
    tree.write(port + "gids/" + number, "0000:0000:0000:0000:0000:0000:0000:0000\n");
    tree.write(port + "gid_attrs/types/" + number, "");
    fixture.files->fail_read("/gid_attrs/types/" + number, EINVAL);
  }
  tree.write(port + "gids/200", "0000:0000:0000:0000:0000:ffff:0a00:0001\n");
  fixture.files->fail_read("/gid_attrs/types/200", EIO);
  tree.write(port + "gid_attrs/ndevs/200", "");
  fixture.files->fail_read("/gid_attrs/ndevs/200", EINVAL);  // its netdev has just gone
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  REQUIRE(device.ports.front().gids.size() == 2);
  CHECK(device.ports.front().gids[1].index == 200);
  CHECK(device.ports.front().gids[1].type == core::GidType::kUnknown);
  REQUIRE(device.issues.size() == 1);
  CHECK(device.issues.front().path.ends_with("/gid_attrs/types/200"));
}

TEST_CASE("hw_counters that would damage the kernel are left alone, and it is told why") {
  HostFixture fixture("bnxt_re_6_18");
  fixture.tree.write("proc/sys/kernel/osrelease", "6.18.2\n");
  fixture.tree.write("sys/class/infiniband/bnxt_re0/device/device", "0x16d7\n");
  const HostPointer host = fixture.make()->collect();
  for (const std::string& path : fixture.files->touched()) {
    INFO(path);
    CHECK(path.find("hw_counters") == path.npos);
  }
  const auto& device = device_of(*host, "bnxt_re0");
  REQUIRE(device.issues.size() == 1);
  CHECK(device.issues.front().detail.find("CVE-2025-71092") != std::string::npos);
  CHECK_FALSE(find_status(device.sources, core::Source::kSysfsHwCounters)->success);
  CHECK_FALSE(device.ports.front().counters.empty());  // counters/ are safe
}

TEST_CASE("a driver's hw_counters can be left out by choice") {
  HostFixture fixture("mlx5_ib_ndr");
  fixture.options.skip_hw_counters = {"mlx5"};
  const HostPointer host = fixture.make()->collect();
  const auto& device = device_of(*host, "mlx5_0");
  CHECK(find_status(device.sources, core::Source::kSysfsHwCounters) == nullptr);
  CHECK(device.issues.empty());
}
