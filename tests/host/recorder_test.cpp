#include "agent/host/recorder.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cerrno>

#include "agent/host/capture_path.h"
#include "agent/host/replay.h"
#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using host::Capture;

namespace {

struct Answer {
  int open = 0;
  std::ptrdiff_t size = 0;
  std::string text;
};

Answer read(host::FileReader& files, const std::string& path) {
  std::array<char, 256> buffer{};
  const int descriptor = files.open(path);
  if (descriptor < 0) return {descriptor, 0, ""};
  const std::ptrdiff_t size = files.read_from_start(descriptor, buffer);
  files.close(descriptor);
  return {0, size, size < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(size))};
}

// Answers open with 7 and every read with EINVAL.
class BrokenFiles final : public host::FileReader {
 public:
  int open(const std::string&) override { return 7; }
  std::ptrdiff_t read_from_start(int, std::span<char>) override { return -EINVAL; }
  void close(int) override {}
  int list(const std::string&, std::vector<host::DirectoryEntry>&) override { return -EACCES; }
  std::string resolve(const std::string&) override { return ""; }
};

host::Roots roots_of(const test::SampleTree& tree) { return {tree.sys(), tree.proc(), tree.dev()}; }

}  // namespace

TEST_CASE("what was read replays with the same answers") {
  test::SampleTree tree;
  tree.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  tree.make_directory("sys/devices/pci0000:00/0000:3b:00.0");
  tree.make_link("sys/class/infiniband/mlx5_0/device", "../../../devices/pci0000:00/0000:3b:00.0");
  const std::string device = (tree.sys() / "class/infiniband/mlx5_0").string();

  host::RecordingFileReader recorder(std::make_shared<host::SystemFileReader>(), roots_of(tree));
  CHECK(read(recorder, device + "/ports/1/state").text == "4: ACTIVE\n");
  CHECK(read(recorder, device + "/fw_ver").open == -ENOENT);
  std::vector<host::DirectoryEntry> listed;
  CHECK(recorder.list(device, listed) == 0);
  CHECK(recorder.resolve(device + "/device").ends_with("sys/devices/pci0000:00/0000:3b:00.0"));

  auto capture = std::make_shared<Capture>();
  recorder.take(*capture);
  CHECK(capture->files.at("sys/class/infiniband/mlx5_0/ports/1/state").content == "4: ACTIVE\n");

  host::ReplayFileReader replay(capture);
  const std::string replayed = (host::replay_roots().sys / "class/infiniband/mlx5_0").string();
  CHECK(read(replay, replayed + "/ports/1/state").text == "4: ACTIVE\n");
  CHECK(read(replay, replayed + "/fw_ver").open == -ENOENT);
  CHECK(read(replay, replayed + "/never_asked").open == -ENOENT);
  std::vector<host::DirectoryEntry> entries;
  CHECK(replay.list(replayed, entries) == 0);
  CHECK(entries.size() == 2);
  CHECK(replay.list(replayed + "/ports", entries) == -ENOENT);
  CHECK(replay.resolve(replayed + "/device") ==
        (host::replay_roots().sys / "devices/pci0000:00/0000:3b:00.0").string());
  CHECK(replay.resolve(replayed).empty());
  // Nothing of this machine, whatever is asked for.
  CHECK(read(replay, device + "/ports/1/state").open == -ENOENT);
  CHECK(read(replay, "/proc/self/status").open == -ENOENT);
}

TEST_CASE("a read that failed fails in the replay") {
  host::RecordingFileReader recorder(std::make_shared<BrokenFiles>(), {"/sys", "/proc", "/dev"});
  CHECK(read(recorder, "/sys/class/infiniband/x/rate").size == -EINVAL);
  std::vector<host::DirectoryEntry> entries;
  CHECK(recorder.list("/sys/class/infiniband", entries) == -EACCES);
  CHECK(read(recorder, "/etc/passwd").size == -EINVAL);

  auto capture = std::make_shared<Capture>();
  recorder.take(*capture);
  CHECK(capture->files.size() == 1);
  host::ReplayFileReader replay(capture);
  CHECK(read(replay, host::replay_roots().sys / "class/infiniband/x/rate").size == -EINVAL);
  CHECK(replay.list(host::replay_roots().sys / "class/infiniband", entries) == -EACCES);
}

TEST_CASE("a path has one spelling in a capture") {
  const auto spelt = [](const char* path) { return host::capture_path(path).value_or("-"); };
  CHECK(spelt("sys/class/net") == "sys/class/net");
  CHECK(spelt("sys//class/./net/") == "sys/class/net");
  CHECK(spelt("sys/devices/a/b/../max_link_speed") == "sys/devices/a/max_link_speed");
  CHECK(spelt("sys/a/../b/..") == "sys");
  CHECK(spelt("sys/...") == "sys/...");
  for (const char* outside : {"", ".", "/", "..", "sys/..", "sys/../etc/passwd", "sys/a/../../b"}) {
    INFO(outside);
    CHECK(spelt(outside) == "-");
  }
}

TEST_CASE("what was asked for by a detour is found by the same and by the straight way") {
  test::SampleTree tree;
  tree.write("sys/devices/bridge/max_link_speed", "16.0 GT/s PCIe\n");
  tree.make_directory("sys/devices/bridge/0000:3b:00.0");
  const std::string device = (tree.sys() / "devices/bridge/0000:3b:00.0").string();
  host::RecordingFileReader recorder(std::make_shared<host::SystemFileReader>(), roots_of(tree));
  CHECK(read(recorder, device + "/../max_link_speed").text == "16.0 GT/s PCIe\n");
  // Above the root is none of the capture's.
  CHECK(read(recorder, tree.sys().string() + "/../sys/devices/bridge/max_link_speed").size > 0);

  auto capture = std::make_shared<Capture>();
  recorder.take(*capture);
  CHECK(capture->files.size() == 1);
  CHECK(capture->files.contains("sys/devices/bridge/max_link_speed"));
  host::ReplayFileReader replay(capture);
  const std::string replayed = (host::replay_roots().sys / "devices/bridge").string();
  CHECK(read(replay, replayed + "/max_link_speed").size > 0);
  CHECK(read(replay, replayed + "/0000:3b:00.0/../max_link_speed").size > 0);
  CHECK(read(replay, host::replay_roots().sys.string() + "/../../etc/passwd").open == -ENOENT);
}

TEST_CASE("a replayed descriptor is good until it is closed") {
  auto capture = std::make_shared<Capture>();
  capture->files["sys/a"].content = "123456";
  host::ReplayFileReader replay(capture);
  const int descriptor = replay.open(host::replay_roots().sys / "a");
  REQUIRE(descriptor >= 0);
  std::array<char, 4> small{};
  CHECK(replay.read_from_start(descriptor, small) == 4);
  CHECK(replay.read_from_start(descriptor, small) == 4);
  CHECK(std::string_view(small.data(), 4) == "1234");
  replay.close(descriptor);
  CHECK(replay.read_from_start(descriptor, small) == -EBADF);
}
