// A capture replays as the host it was made on, and tells nothing of whose host it was.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <nlohmann/json.hpp>

#include "agent/cli/archive.h"
#include "agent/cli/capture_file.h"
#include "agent/host/collect.h"
#include "agent/host/replay.h"
#include "tests/cli/cli_fixture.h"

using namespace rdmadiag;

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Everything an archive holds, names included.
std::string all_text(const std::string& path) {
  const auto members = cli::read_archive(path);
  REQUIRE(members);
  std::string text;
  for (const cli::ArchiveMember& member : *members) {
    text += member.path + "\n" + member.content + "\n" + member.link_target + "\n";
  }
  return text;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
  return text;
}

std::string without_colons(std::string text) {
  std::erase(text, ':');
  return text;
}

// A host whose every identifier is one that occurs nowhere else.
void fill_identifiable_host(test::SampleTree& tree) {
  const std::string pci = "sys/devices/pci0000:3a/0000:3b:00.0/";
  const std::string device = pci + "infiniband/secretrdma_7/";
  tree.write(device + "node_guid", "0c42:a103:0065:1d7e\n");
  tree.write(device + "sys_image_guid", "0c42:a103:0065:1d70\n");
  tree.write(device + "node_desc", "gpunode42 HCA-7 of Customer Inc\n");
  tree.write(device + "fw_ver", "28.39.1002\n");
  tree.write(device + "hca_type", "MT4129\n");
  tree.write(device + "node_type", "1: CA\n");
  const std::string port = device + "ports/1/";
  tree.write(port + "state", "4: ACTIVE\n");
  tree.write(port + "phys_state", "5: LinkUp\n");
  tree.write(port + "link_layer", "Ethernet\n");
  tree.write(port + "rate", "200 Gb/sec (4X HDR)\n");
  tree.write(port + "counters/port_xmit_data", "1234567890123456\n");
  tree.write(port + "gids/0", "fe80:0000:0000:0000:5ee9:2fff:fe9d:7c31\n");
  tree.write(port + "gids/1", "0000:0000:0000:0000:0000:ffff:0a63:2bd7\n");
  tree.write(port + "gids/2", "fd12:3456:789a:00bc:5ee9:2fff:fe9d:7c31\n");
  for (const char* index : {"0", "1", "2"}) {
    tree.write(port + "gid_attrs/types/" + index, "RoCE v2\n");
    tree.write(port + "gid_attrs/ndevs/" + index, "secretnet5\n");
  }
  const std::string fabric_port = device + "ports/2/";
  tree.write(fabric_port + "state", "4: ACTIVE\n");
  tree.write(fabric_port + "phys_state", "5: LinkUp\n");
  tree.write(fabric_port + "link_layer", "InfiniBand\n");
  tree.write(fabric_port + "rate", "200 Gb/sec (4X HDR)\n");
  tree.write(fabric_port + "lid", "0x2b67\n");
  tree.write(fabric_port + "sm_lid", "0x2b68\n");
  tree.write(fabric_port + "gids/0", "fec0:77aa:0000:0001:0c42:a103:0065:1d7e\n");
  tree.write(pci + "current_link_width", "16\n");
  tree.write(pci + "net/secretnet5/address", "5c:e9:2f:9d:7c:31\n");
  tree.write(pci + "net/secretnet5/mtu", "9000\n");
  tree.write(pci + "net/secretnet5/operstate", "up\n");
  tree.write("sys/devices/virtual/net/secretbond/bonding/slaves", "secretnet5 secretnet6\n");
  tree.make_link(pci + "net/secretnet5/master", "../../../../virtual/net/secretbond");
  tree.make_link(device + "device", "../../../0000:3b:00.0");
  tree.make_link(pci + "net/secretnet5/device", "../../../0000:3b:00.0");
  tree.make_link("sys/class/infiniband/secretrdma_7",
                 "../../devices/pci0000:3a/0000:3b:00.0/infiniband/secretrdma_7");
  tree.make_link("sys/class/net/secretnet5",
                 "../../devices/pci0000:3a/0000:3b:00.0/net/secretnet5");
  tree.make_link("sys/class/net/secretbond", "../../devices/virtual/net/secretbond");
  tree.write(pci + "net/secretnet5/ifindex", "7\n");
  tree.write("proc/sys/kernel/hostname", "gpunode42.customer.example\n");
  tree.write("proc/sys/kernel/osrelease", "6.12.0\n");
}

host::AddressReader identifiable_addresses() {
  return [] {
    return host::AddressList{{7, "10.99.43.215/24"},
                             {7, "fd12:3456:789a:bc:5ee9:2fff:fe9d:7c31/64"}};
  };
}

// What check says of the host around the devices, and why not.
std::vector<std::string> surroundings(const std::string& json) {
  std::vector<std::string> lines;
  const auto document = nlohmann::json::parse(json);
  for (const char* list : {"findings", "unknown"}) {
    for (const auto& entry : document.at(list)) {
      const std::string rule = entry.at("rule");
      if (rule == "host-memlock" || !(rule.starts_with("host-") || rule.starts_with("address-")))
        continue;
      lines.push_back(rule + ": " + entry.value("found", entry.value("reason", "")));
    }
  }
  return lines;
}

const std::vector<std::string> kSecrets = {"secretrdma_7",
                                           "secretnet5",
                                           "secretnet6",
                                           "secretbond",
                                           "gpunode42",
                                           "customer",
                                           "0c42:a103:0065:1d7e",
                                           "0c42a10300651d7e",
                                           "0c42:a103:0065:1d70",
                                           "5ee9:2fff:fe9d:7c31",
                                           "5ee92ffffe9d7c31",
                                           "5c:e9:2f:9d:7c:31",
                                           "5ce92f9d7c31",
                                           "0a63:2bd7",
                                           "10.99.43.215",
                                           "fd12:3456:789a",
                                           "2b67",
                                           "2b68",
                                           "hca-7"};

}  // namespace

TEST_CASE("no identifier survives in a capture") {
  test::CliFixture cli;
  fill_identifiable_host(cli.tree);
  cli.addresses = identifiable_addresses();
  const std::string path = cli.tree.at("capture.tar.gz");

  REQUIRE(cli.run({"capture", path, "--keep-identifiers"}).code == 0);
  const std::string before = lower(all_text(path));
  for (const char* kept :
       {"secretrdma_7", "secretnet5", "secretbond", "gpunode42", "0c42:a103:0065:1d7e",
        "5ee9:2fff:fe9d:7c31", "0a63:2bd7", "2b67", "10.99.43.215/24", "fd12:3456:789a:bc"}) {
    INFO(kept);
    CHECK(before.find(kept) != std::string::npos);
  }

  REQUIRE(cli.run({"capture", path}).code == 0);
  const std::string text = lower(all_text(path));
  for (const std::string& secret : kSecrets) {
    INFO(secret);
    CHECK(text.find(secret) == std::string::npos);
    CHECK(without_colons(text).find(without_colons(secret)) == std::string::npos);
  }
  // What is worth a bug report is still there.
  for (const char* kept : {"28.39.1002", "mt4129", "1234567890123456", "0000:3b:00.0", "roce v2",
                           "200 gb/sec (4x hdr)"}) {
    INFO(kept);
    CHECK(text.find(kept) != std::string::npos);
  }
}

TEST_CASE("stand-ins keep what belongs together together") {
  test::CliFixture cli;
  fill_identifiable_host(cli.tree);
  const std::string path = cli.tree.at("capture.tar.gz");
  REQUIRE(cli.run({"capture", path}).code == 0);
  const auto before = nlohmann::json::parse(cli.run({"gids", "--json"}).out);
  const auto after = nlohmann::json::parse(cli.run({"gids", "--json", "--path.sysfs", path}).out);
  REQUIRE(after["ports"].size() == 2);
  CHECK(after["ports"][0]["device"] == "rdma1");
  CHECK(after["ports"][0]["used_index"] == before["ports"][0]["used_index"]);
  const auto& gids = after["ports"][0]["gids"];
  REQUIRE(gids.size() == 3);
  for (const auto& gid : gids) CHECK(gid["netdev"] == gids[0]["netdev"]);
  CHECK(gids[0]["gid"].get<std::string>().starts_with("fe80::"));
  CHECK(gids[1]["gid"].get<std::string>().starts_with("::ffff:198.18."));
  CHECK(gids[2]["gid"].get<std::string>().starts_with("2001:db8:"));
  const std::string status = cli.run({"status", "--path.sysfs", path}).out;
  CHECK(status.find("host1") != std::string::npos);
  CHECK(status.find("netdev") != std::string::npos);
}

TEST_CASE("a capture of any sample host replays as that host") {
  for (const std::string& host : test::sample_tree_names()) {
    test::CliFixture cli(host);
    const std::string path = cli.tree.at("capture.tar.gz");
    INFO(host);
    const auto made = cli.run({"capture", path, "--keep-identifiers"});
    REQUIRE(made.code == 0);
    test::CliFixture elsewhere("no_rdma");
    // Paths that could not be read are shown: no line may break because of their length.
    cli.style.width = elsewhere.style.width = 1000;
    const std::string root = cli.tree.root().string() + "/";
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"status"}, {"devices", "-v"}, {"gids"}, {"counters", "--raw"}}) {
      auto replay = command;
      replay.insert(replay.end(), {"--path.sysfs", path});
      const auto expected = cli.run(command);
      const auto replayed = elsewhere.run(replay);
      CHECK(without(replayed.out, "/capture/") == without(expected.out, root));
      CHECK(replayed.code == expected.code);
    }
  }
}

TEST_CASE("what surrounds a device replays, with its findings") {
  test::CliFixture cli;
  cli.during_wait = [](auto) { return true; };
  fill_identifiable_host(cli.tree);
  const std::string pci = "sys/devices/pci0000:3a/0000:3b:00.0/";
  const std::string gids = pci + "infiniband/secretrdma_7/ports/1/gids/";
  for (const char* index : {"1", "2"})
    cli.tree.write(gids + index, "0000:0000:0000:0000:0000:0000:0000:0000\n");
  cli.tree.write("sys/class/infiniband_verbs/uverbs0/ibdev", "secretrdma_7\n");
  cli.tree.write(pci + "vendor", "0x15b3\n");
  cli.tree.write(pci + "iommu_group/type", "DMA-FQ\n");
  cli.tree.write(pci + "local_cpulist", "0-3\n");
  cli.tree.write(pci + "msi_irqs/41", "msix\n");
  cli.tree.write("proc/irq/41/effective_affinity_list", "9\n");
  cli.tree.make_directory("sys/module/nvidia");
  cli.addresses = [] { return host::AddressList{{7, "169.254.3.4/16"}, {8, "10.99.43.215/24"}}; };

  const std::string path = cli.tree.at("capture.tar.gz");
  const std::string root = cli.tree.root().string() + "/";
  const auto live = surroundings(without(cli.run({"check", "--json"}).out, root));
  const auto holds = [&](const std::string& line) {
    return std::find(live.begin(), live.end(), line) != live.end();
  };
  CHECK(holds("address-no-ip: the port is ACTIVE, its netdev has only 169.254.3.4/16"));
  CHECK(holds("host-uverbs: dev/infiniband/uverbs0 does not open (enoent)"));
  CHECK(holds("host-iommu: the IOMMU translates its DMA (DMA-FQ)"));
  CHECK(holds("host-irq-remote: 1 of 1 interrupts go to CPUs of other NUMA nodes"));
  CHECK(holds("host-peer-memory: GPU driver nvidia is loaded, nvidia_peermem is not"));

  REQUIRE(cli.run({"capture", path, "--keep-identifiers"}).code == 0);
  const auto replayed = [&] {
    const auto result = cli.run({"check", "--json", "--path.sysfs", path});
    return surroundings(without(result.out, "/capture/"));
  };
  CHECK(replayed() == live);
  REQUIRE(cli.run({"capture", path}).code == 0);
  auto anonymous = live;  // but for the address, which is a stand-in
  for (std::string& line : anonymous) line = without(line, "169.254.3.4");
  auto stand_in = replayed();
  for (std::string& line : stand_in)
    if (const auto at = line.find("169.254."); at != std::string::npos)
      line.erase(at, line.find('/', at) - at);
  CHECK(stand_in == anonymous);
}

TEST_CASE("a device below PCIe bridges is captured with its slot") {
  test::CliFixture cli;
  const std::string bridge = "sys/devices/pci0000:3a/0000:3a:01.0/";
  cli.tree.write(bridge + "config", "serial number 5c:e9:2f:ff:ff:9d:7c:31\n");
  cli.addresses = identifiable_addresses();
  cli.tree.write(bridge + "max_link_speed", "8.0 GT/s PCIe\n");
  cli.tree.write(bridge + "max_link_width", "8\n");
  const std::string pci = bridge + "0000:3b:00.0/";
  for (const char* file : {"max_link_speed", "current_link_speed"}) {
    cli.tree.write(pci + file, "16.0 GT/s PCIe\n");
  }
  for (const char* file : {"max_link_width", "current_link_width"}) {
    cli.tree.write(pci + file, "16\n");
  }
  cli.tree.write(pci + "vendor", "0x15b3\n");
  const std::string device = pci + "infiniband/mlx5_0/";
  cli.tree.write(device + "node_guid", "0c42:a103:0065:1d7e\n");
  cli.tree.write(device + "ports/1/state", "4: ACTIVE\n");
  cli.tree.write(device + "ports/1/link_layer", "InfiniBand\n");
  cli.tree.make_link(device + "device", "../../../0000:3b:00.0");
  cli.tree.make_link("sys/class/infiniband/mlx5_0",
                     "../../devices/pci0000:3a/0000:3a:01.0/"
                     "0000:3b:00.0/infiniband/mlx5_0");
  const std::string path = cli.tree.at("capture.tar.gz");
  REQUIRE(cli.run({"capture", path}).code == 0);
  CHECK(all_text(path).find("serial number") == std::string::npos);  // of its configuration space
  REQUIRE(cli.run({"status", "--path.sysfs", path}).code == cli.run({"status"}).code);

  auto capture = std::make_shared<host::Capture>(cli::read_capture(path).value());
  const auto read = [&](host::Roots roots, std::shared_ptr<host::FileReader> files) {
    host::CollectorParts parts;
    parts.clock = cli.clock;
    parts.files = std::move(files);
    host::Collector collector(std::move(roots), {}, std::move(parts));
    return collector.collect()->devices.at(0).snapshot->pcie;
  };
  const auto live = read({cli.tree.sys(), cli.tree.proc(), cli.tree.dev()},
                         std::make_shared<host::SystemFileReader>());
  const auto replayed =
      read(host::replay_roots(), std::make_shared<host::ReplayFileReader>(capture));
  CHECK(live.slot_max_width_lanes == 8);
  CHECK(replayed.address == "0000:3b:00.0");
  CHECK(replayed.max_width_lanes == live.max_width_lanes);
  CHECK(replayed.slot_max_width_lanes == live.slot_max_width_lanes);
  CHECK(replayed.slot_max_speed_transfers_per_second == live.slot_max_speed_transfers_per_second);
}

TEST_CASE("a replaced name changes nothing but the name") {
  test::CliFixture cli("mlx5_roce_200g");
  const std::string path = cli.tree.at("capture.tar.gz");
  REQUIRE(cli.run({"capture", path}).code == 0);
  const auto count = [](const std::string& text) {
    const auto document = nlohmann::json::parse(text);
    std::size_t counters = 0;
    for (const auto& device : document["devices"]) {
      for (const auto& port : device["ports"]) counters += port["counters"].size();
    }
    return counters;
  };
  const auto before = cli.run({"counters", "--json"});
  const auto after = cli.run({"counters", "--json", "--path.sysfs", path});
  CHECK(count(after.out) == count(before.out));
  CHECK(cli.run({"status", "--path.sysfs", path}).code == cli.run({"status"}).code);
}

TEST_CASE("a capture that cannot be written or read says why") {
  test::CliFixture cli("no_devices");
  const auto unwritable = cli.run({"capture", "/nonexistent/place/c.tar.gz"});
  CHECK(unwritable.code == cli::kExitUnknown);
  CHECK(unwritable.err.find("No such file or directory") != std::string::npos);
  cli.tree.write("text", "no archive\n");
  const auto unreadable = cli.run({"status", "--path.sysfs", cli.tree.at("text").string()});
  CHECK(unreadable.code == cli::kExitUnknown);
  CHECK(unreadable.out.empty());
}

TEST_CASE("capture says what it wrote as JSON too") {
  test::CliFixture cli("mlx5_ib_ndr");
  const auto result = cli.run({"capture", cli.tree.at("c.tar.gz").string(), "--json"});
  const auto document = nlohmann::json::parse(result.out);
  CHECK(document["schema_version"] == 1);
  CHECK(document["identifiers_replaced"] == true);
  CHECK(document["files"].get<int>() > 100);
}
