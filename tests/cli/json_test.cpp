// The JSON of each command, kept as golden files that check_schemas holds against docs/schemas.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/archive.h"
#include "agent/cli/fabric_json.h"
#include "agent/host/replay.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/golden.h"

using namespace rdmadiag;

namespace {

// Netlink of one device with two queue pairs, one of them in ERR.
std::shared_ptr<host::NetlinkSource> small_netlink() {
  auto capture = std::make_shared<host::Capture>();
  host::CapturedNetlink& netlink = capture->netlink.emplace();
  host::NetlinkDevice device;
  device.index = 0;
  device.name = "mlx5_0";
  device.ports = 1;
  netlink.devices.value = std::vector{device};
  netlink.netns_shared.value = true;
  core::QueuePair kernel;
  kernel.local_qpn = 1;
  kernel.type = 1;
  kernel.state = 3;
  kernel.owner = "ib_core";
  core::QueuePair failed;
  failed.local_qpn = 0x2b;
  failed.remote_qpn = 0x11;
  failed.port = 1;
  failed.type = 2;
  failed.state = 6;
  failed.pid = 4711;
  failed.owner = "nccl_\x1b[2Jtest";
  netlink.queue_pairs[0].value = std::vector{kernel, failed};
  netlink.resources[0].value = std::vector{core::ResourceCount{"qp", 2, 262144}};
  return std::make_shared<host::ReplayNetlink>(capture);
}

struct OneDevice : test::CliFixture {
  OneDevice() : CliFixture("mlx5_roce_200g") {
    tree.remove("sys/class/infiniband/mlx5_1");
    tree.remove("sys/class/infiniband/mlx5_2");
    netlink = small_netlink();
  }
};

void check_golden(const std::string& name, const std::string& text) {
  CHECK(test::golden_difference("cli/" + name + ".json", text) == "");
}

std::string without_root(std::string text, const std::string& root) {
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at)) {
    text.erase(at, root.size());
  }
  return text;
}

}  // namespace

TEST_CASE("JSON of the commands over a host") {
  OneDevice cli;
  check_golden("gids", cli.run({"gids", "--json"}).out);
  check_golden("qps", cli.run({"qps", "--json"}).out);
  cli.tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/unheard_of", "7\n");
  cli.during_wait = [&](std::chrono::nanoseconds) {
    cli.tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/link_downed", "255\n");
    cli.tree.write("sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence", "1\n");
    return true;
  };
  check_golden("counters", cli.run({"counters", "--json", "--diff", "10s"}).out);
}

TEST_CASE("JSON of the commands about this program") {
  OneDevice cli;
  cli.limits.memlock_bytes = 65536;
  check_golden("doctor", without_root(cli.run({"doctor", "--json"}).out, cli.tree.root()));
  check_golden("metrics", cli.run({"metrics", "cnp_sent", "--json"}).out);
  check_golden("config_show", cli.run({"config", "show", "--json"}).out);
  cli.tree.write("etc/rdmadiag.yaml", "bench: {enabled: maybe}\n");
  check_golden("config_check",
               without_root(cli.run({"config", "check", "--json"}).out, cli.tree.root()));
}

TEST_CASE("JSON of the diagnosis") {
  OneDevice cli;
  cli.during_wait = [&](std::chrono::nanoseconds) {
    cli.tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "12\n");
    cli.tree.write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
    return true;
  };
  check_golden("check", without_root(cli.run({"check", "--json"}).out, cli.tree.root()));
}

TEST_CASE("JSON of a subnet") {
  core::Fabric fabric;
  core::FabricPort up;
  up.number = 1;
  up.state = 4;
  up.physical_state = 5;
  up.lid = 7;
  up.active = {.width_lanes = 2, .lane_bits_per_second = 25e9};
  up.supported = {.width_lanes = 4, .lane_bits_per_second = 25e9};
  up.neighbour_guid = 0x506b4b0300a1b2c3;
  up.neighbour_port = 17;
  up.counters = {{"symbol_error", 3}, {"port_rcv_data", 123456789012}};
  core::FabricPort other = up;
  other.number = 17;
  other.neighbour_guid = 0x0c42a10300651d7e;
  other.neighbour_port = 1;
  core::FabricPort down;
  down.number = 2;
  fabric.nodes = {{0x506b4b0300a1b2c3, true, "leaf \xff 1", {other}},
                  {0x0c42a10300651d7e, false, "node1 mlx5_0", {up, down}}};
  fabric.missing = {"node2 did not answer"};
  const auto findings = core::judge_fabric(fabric, nullptr);
  REQUIRE_FALSE(findings.empty());
  check_golden("fabric", cli::render_fabric_json(fabric, findings));
}

TEST_CASE("JSON of a capture, and inside it") {
  OneDevice cli;
  const std::string path = cli.tree.at("c.tar.gz");
  const auto report = cli.run({"capture", path, "--qps", "--json"});
  check_golden("capture-report", without_root(report.out, cli.tree.root()));
  const auto members = cli::read_archive(path);
  REQUIRE(members);
  REQUIRE(members->front().path == "capture.json");
  check_golden("capture", members->front().content);
}

TEST_CASE("queue pairs can be narrowed to a state") {
  OneDevice cli;
  const auto failed = cli.run({"qps", "--state", "err"});
  CHECK(failed.code == cli::kExitFine);
  CHECK(failed.out.find("nccl_\\x1b[2Jtest") != std::string::npos);
  CHECK(failed.out.find("ib_core") == std::string::npos);
  CHECK(cli.run({"qps"}).out.find("ib_core") != std::string::npos);
  CHECK(cli.run({"qps", "--state", "RTR"}).out.empty());
}

TEST_CASE("a capture keeps netlink's answers, with the owners' names replaced") {
  OneDevice cli;
  const std::string path = cli.tree.at("c.tar.gz");
  REQUIRE(cli.run({"capture", path, "--qps"}).code == 0);
  const auto replayed = cli.run({"qps", "--path.sysfs", path});
  CHECK(replayed.code == cli::kExitFine);
  CHECK(replayed.out.find("nccl") == std::string::npos);
  CHECK(replayed.out.find("4711") == std::string::npos);
  CHECK(replayed.out.find("process1") != std::string::npos);
  CHECK(replayed.out.find("ib_core") != std::string::npos);
  CHECK(replayed.out.find("rdma1") != std::string::npos);
}

TEST_CASE("JSON of a runbook") {
  OneDevice cli;
  check_golden("runbook", cli.run({"check", "--explain", "inventory-firmware", "--json"}).out);
  CHECK(cli.run({"check", "--explain", "inventory-firmwar", "--json"}).code == cli::kExitUsage);
}
