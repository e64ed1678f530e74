#include "agent/cli/capture_file.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "agent/cli/archive.h"
#include "agent/cli/capture_json.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using host::Capture;
using Kind = host::DirectoryEntry::Kind;

namespace {

Capture sample_capture() {
  Capture capture;
  capture.files["sys/class/infiniband/mlx5_0/fw_ver"].content = "28.39.1002\n";
  capture.files["sys/class/infiniband/mlx5_0/odd %\xff name"].content = std::string("\0\xfe", 2);
  capture.files["sys/class/infiniband/mlx5_0/ports/1/rate"].read_error = EINVAL;
  capture.files["sys/absent"].open_error = ENOENT;
  capture.directories["sys/class/infiniband"] = {{{"mlx5_0", Kind::kLink}, {"x\xff", Kind::kFile}},
                                                 0};
  capture.directories["sys/class/net"] = {{}, EACCES};
  capture.resolved["sys/class/infiniband/mlx5_0/device"] = "sys/devices/pci0000:3a/0000:3b:00.0";
  capture.resolved["sys/gone"] = "";

  host::CapturedNetlink netlink;
  netlink.netns_shared.value = true;
  host::NetlinkDevice device;
  device.index = 3;
  device.name = "mlx5_0";
  device.ports = 1;
  device.firmware = "28.39.1002";
  device.node_guid = 0xfedcba9876543210;
  device.node_type = 1;
  device.protocol = core::Protocol::kRoce;
  netlink.devices.value = std::vector{device};
  host::NetlinkPort port;
  port.number = 1;
  port.state = 4;
  port.lid = 7;
  port.netdev = "ens5";
  netlink.ports[{3, 1}].value = port;
  netlink.statistics[{3, 1}].error = EINVAL;
  netlink.resources[3].value = std::vector{core::ResourceCount{"qp", 5, 100}};
  core::QueuePair pair;
  pair.local_qpn = 0x11;
  pair.remote_qpn = 0x22;
  pair.type = 2;
  pair.state = 6;
  pair.pid = 4711;
  pair.owner = "python3";
  netlink.queue_pairs[3].value = std::vector{pair};
  capture.netlink = netlink;
  capture.addresses.emplace().value = host::AddressList{{7, "10.0.0.1/24"}};
  return capture;
}

std::string error_of(const std::string& json) {
  test::TempDir directory;
  const std::string path = directory.path() / "c.tar.gz";
  REQUIRE(cli::write_archive(path, {{"capture.json", json, ""}}));
  const auto read = cli::read_capture(path);
  return read ? "" : read.error().message().substr(path.size());
}

}  // namespace

TEST_CASE("a capture comes back as it was") {
  test::TempDir directory;
  const std::string path = directory.path() / "c.tar.gz";
  const Capture capture = sample_capture();
  REQUIRE(cli::write_capture(path, capture));
  const auto read = cli::read_capture(path);
  REQUIRE(read);
  CHECK(read->files == capture.files);
  CHECK(read->resolved == capture.resolved);
  REQUIRE(read->directories.size() == 2);
  CHECK(read->directories.at("sys/class/net").error == EACCES);
  CHECK(read->directories.at("sys/class/infiniband").entries.at(1).name == "x\xff");
  CHECK(read->directories.at("sys/class/infiniband").entries.at(0).kind == Kind::kLink);
  // Equal text means equal answers of netlink.
  CHECK(cli::render_capture_json(*read) == cli::render_capture_json(capture));
  REQUIRE(read->netlink);
  CHECK(read->netlink->devices.value->front().node_guid == 0xfedcba9876543210);
  CHECK(read->netlink->devices.value->front().protocol == core::Protocol::kRoce);
  CHECK(read->netlink->statistics.at({3, 1}).error == EINVAL);
  CHECK(read->netlink->queue_pairs.at(3).value->front().owner == "python3");
}

TEST_CASE("unpacked, a capture is a tree of files and links") {
  test::TempDir directory;
  const std::string path = directory.path() / "c.tar.gz";
  REQUIRE(cli::write_capture(path, sample_capture()));
  const auto members = cli::read_archive(path);
  REQUIRE(members);
  bool link_seen = false;
  for (const cli::ArchiveMember& member : *members) {
    CHECK(member.path != "sys/absent");
    if (member.path == "sys/class/infiniband/mlx5_0/device") {
      link_seen = true;
      CHECK(member.link_target == "../../../../sys/devices/pci0000:3a/0000:3b:00.0");
    }
  }
  CHECK(link_seen);
}

TEST_CASE("what is no capture says so") {
  CHECK(error_of("{").starts_with(": capture.json: "));
  CHECK(error_of("{}").find("format") != std::string::npos);
  CHECK(error_of(R"({"format": "else"})") == ": capture.json: not a capture");
  CHECK(error_of(R"({"format": "rdmadiag-capture", "schema_version": 99})") ==
        ": capture.json: made by another version of rdmadiag");
  CHECK(error_of(R"({"format": "rdmadiag-capture", "schema_version": 1, "failed": [1]})")
            .starts_with(": capture.json: "));
  const auto document = [](const std::string& failed, const std::string& directories) {
    return R"({"format": "rdmadiag-capture", "schema_version": 1, "resolved": {}, "netlink": null,)"
           R"("failed": {)" +
           failed + R"(}, "directories": {)" + directories + "}}";
  };
  CHECK(error_of(document(R"("sys/a": {"open": 2, "read": 0})", "")).empty());
  // A replay would take the negative of it for a number of bytes.
  CHECK(error_of(document(R"("sys/a": {"open": 0, "read": -100})", "")) ==
        ": capture.json: no errno: -100");
  CHECK(error_of(document("", R"("sys": {"error": 4096, "entries": []})")) ==
        ": capture.json: no errno: 4096");
  CHECK(error_of(document(R"("sys/../../a": {"open": 2, "read": 0})", "")) ==
        ": capture.json: bad name 'sys/../../a'");
  test::TempDir directory;
  const std::string path = directory.path() / "c.tar.gz";
  REQUIRE(cli::write_archive(path, {{"sys/a", "1", ""}}));
  CHECK(cli::read_capture(path).error().message() ==
        path + ": no capture: capture.json is missing");
}

TEST_CASE("bytes survive their spelling") {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  CHECK(cli::decode_bytes(cli::encode_bytes(all)) == all);
  CHECK(cli::encode_bytes("mlx5_0/a b") == "mlx5_0/a b");
  CHECK(cli::encode_bytes("%\n") == "%25%0a");
  CHECK(cli::decode_bytes("%2") == "%2");
  CHECK(cli::decode_bytes("%zz") == "%zz");
}
