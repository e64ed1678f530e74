// How a large GID table is read: soon what matters, whole in the end, and seldom for nothing.
#include "agent/host/gid_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/host/host_fixture.h"

using namespace rdmadiag;
using namespace rdmadiag::test;
using namespace std::chrono_literals;

namespace {

constexpr const char* kEmpty = "0000:0000:0000:0000:0000:0000:0000:0000\n";
const std::string kPort = "sys/class/infiniband/rxe0/ports/1/";

std::string mapped(int last_byte) {
  char text[64];
  std::snprintf(text, sizeof text, "0000:0000:0000:0000:0000:ffff:0a00:00%02x\n", last_byte);
  return text;
}

struct GidFixture : HostFixture {
  explicit GidFixture(int slots) {
    options.rescan_interval = 30s;
    tree.write(kPort + "state", "4: ACTIVE\n");
    tree.write(kPort + "link_layer", "Ethernet\n");
    for (int slot = 0; slot < slots; ++slot) clear(slot);
  }

  void clear(int slot) { tree.write(kPort + "gids/" + std::to_string(slot), kEmpty); }
  void fill(int slot, int last_byte) {
    tree.write(kPort + "gid_attrs/types/" + std::to_string(slot), "RoCE v2\n");
    tree.write(kPort + "gid_attrs/ndevs/" + std::to_string(slot), "eth0\n");
    tree.write(kPort + "gids/" + std::to_string(slot), mapped(last_byte));
  }

  std::vector<int> indices() {
    std::vector<int> found;
    for (const core::GidEntry& gid : port_of(*collector().collect(), "rxe0").gids) {
      CHECK(gid.type == core::GidType::kRoceV2);
      CHECK(gid.netdev == "eth0");
      found.push_back(gid.index);
    }
    return found;
  }
  std::vector<int> indices_after(std::chrono::nanoseconds by) {
    pass(by);
    return indices();
  }
  [[nodiscard]] std::ptrdiff_t slots_opened() const {
    const std::vector<std::string> paths = files->touched();
    return std::count_if(paths.begin(), paths.end(), [](const std::string& path) {
      return path.find("/gids/") != std::string::npos;
    });
  }

  host::Collector& collector() {
    if (!made_) made_ = make();
    return *made_;
  }

 private:
  std::unique_ptr<host::Collector> made_;
};

using Indices = std::vector<int>;

}  // namespace

TEST_CASE("the first read of a thousand slots looks where GIDs are and no further") {
  GidFixture host(1024);
  host.fill(0, 1);
  host.fill(1, 2);
  CHECK(host.indices() == Indices{0, 1});
  const std::string past = "/gids/" + std::to_string(host::GidTable::kEmptyAtOnce + 2);
  CHECK(host.files->reads_of(past) == 0);
}

TEST_CASE("what lies far back in a large table is found by the next reads") {
  GidFixture host(1024);
  host.fill(0, 1);
  host.fill(1000, 2);
  CHECK(host.indices() == Indices{0});
  Indices found;
  for (int i = 0; i < 3; ++i) found = host.indices_after(2s);
  CHECK(found == Indices{0, 1000});
}

TEST_CASE("the table of a hardware driver is whole at once") {
  GidFixture host(256);
  host.fill(255, 1);
  CHECK(host.indices() == Indices{255});
}

TEST_CASE("once seen whole, a table costs a read nothing but its first empty slot") {
  GidFixture host(1024);
  host.fill(0, 1);
  for (int i = 0; i < 5; ++i) (void)host.indices_after(2s);
  const std::size_t reads = host.files->reads_of("/gids/1");
  const std::ptrdiff_t opened = host.slots_opened();
  (void)host.indices_after(2s);
  CHECK(host.slots_opened() == opened);
  CHECK(host.files->reads_of("/gids/1") == reads + 1);
  CHECK(host.files->reads_of("/gids/512") == 1);
}

TEST_CASE("a GID that comes is seen at the next read, with those that go or change beside it") {
  GidFixture host(1024);
  host.fill(0, 1);
  host.fill(1, 2);
  host.fill(2, 3);
  for (int i = 0; i < 5; ++i) (void)host.indices_after(2s);
  host.clear(1);
  host.fill(3, 4);
  host.fill(2, 9);
  CHECK(host.indices_after(2s) == Indices{0, 2, 3});
  CHECK(port_of(*host.collector().collect(), "rxe0").gids[1].gid[15] == 9);
}

TEST_CASE("a GID that goes is seen when told of, and what the kernel does late after that") {
  GidFixture host(1024);
  host.fill(0, 1);
  host.fill(1, 2);
  for (int i = 0; i < 5; ++i) (void)host.indices_after(2s);
  host.collector().rescan();
  CHECK(host.indices_after(1s) == Indices{0, 1});  // told of, not done yet
  host.clear(1);
  CHECK(host.indices_after(2s) == Indices{0});
}

TEST_CASE("a GID that goes untold is seen at the next listing") {
  GidFixture host(1024);
  host.fill(0, 1);
  host.fill(1, 2);
  for (int i = 0; i < 5; ++i) (void)host.indices_after(2s);
  host.clear(1);
  CHECK(host.indices_after(30s) == Indices{0});
}

TEST_CASE("slots that fail are told of once, and do not hold up the others for long") {
  GidFixture host(64);
  host.fill(0, 1);
  host.fill(40, 2);
  host.files->fail_read("/gids/3", EIO);
  host.files->fail_read("/gids/4", EINVAL);  // how some kernels call an empty one
  for (int i = 0; i < 3; ++i) {
    CHECK(host.indices_after(2s) == Indices{0, 40});
    const auto& device = device_of(*host.collector().collect(), "rxe0");
    CHECK(std::count_if(device.issues.begin(), device.issues.end(), [](const auto& issue) {
            return issue.path.find("/gids/") != std::string::npos;
          }) == 1);
  }
  CHECK(host.files->reads_of("/gids/3") == 1);
}

TEST_CASE("a table that does not answer is left alone until the next listing") {
  GidFixture host(1024);
  for (int slot = 0; slot < 1024; ++slot) {
    host.files->fail_read("/gids/" + std::to_string(slot), EIO);
  }
  for (int i = 0; i < 4; ++i) CHECK(host.indices_after(2s).empty());
  std::size_t tried = 0;
  for (int slot = 0; slot < 1024; ++slot) {
    tried += host.files->reads_of("/gids/" + std::to_string(slot));
  }
  CHECK(tried <= 3 * host::kMaxSlotErrors);
}
