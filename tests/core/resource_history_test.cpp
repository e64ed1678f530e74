#include "agent/core/resource_history.h"

#include <catch2/catch.hpp>

#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

namespace {

struct Host {
  ResourceHistory history;
  SteadyTime now{};
  std::string guid = "0c42:a103:0065:1d7e";

  void look(std::uint64_t queue_pairs, std::chrono::seconds later = std::chrono::seconds(60)) {
    now += later;
    DeviceSnapshot device;
    device.name = "mlx5_0";
    device.node_guid = guid;
    device.read_steady = now;
    device.resources.push_back({"qp", queue_pairs, {}});
    HostSnapshot host;
    DeviceEntry entry;
    entry.name = device.name;
    entry.snapshot = std::make_shared<const DeviceSnapshot>(device);
    host.devices.push_back(entry);
    history.observe(host);
  }
  void rise(int looks, std::uint64_t from, std::uint64_t step) {
    for (int i = 0; i < looks; ++i) look(from + static_cast<std::uint64_t>(i) * step);
  }
};

constexpr int kEnough = ResourceHistory::kLooks + 1;

}  // namespace

TEST_CASE("what rises at every look of ten minutes grows") {
  Host host;
  host.rise(kEnough - 1, 100, 2);
  CHECK(host.history.growths().empty());
  host.look(120);
  REQUIRE(host.history.growths().size() == 1);
  CHECK(host.history.growths().at({"mlx5_0", "qp"}) == ResourceGrowth{100, 120, 600, 10});
  host.look(120);
  CHECK(host.history.growths().empty());
}

TEST_CASE("a little growth, and growth between looks that are close, is none") {
  Host few;
  few.rise(kEnough, 10, 1);
  CHECK(few.history.growths().empty());
  Host share;
  share.rise(kEnough, 1000, 9);
  CHECK(share.history.growths().empty());
  Host quick;
  for (int i = 0; i < 50; ++i)
    quick.look(static_cast<std::uint64_t>(100 + 50 * i), std::chrono::seconds(6));
  CHECK(quick.history.growths().empty());
}

TEST_CASE("another card under the same name begins anew") {
  Host host;
  host.rise(kEnough - 1, 100, 10);
  host.guid = "0c42:a103:0065:ffff";
  host.look(500);
  CHECK(host.history.growths().empty());
}

TEST_CASE("growth is a finding of the diagnosis, and unknown without a history") {
  TwoLooks looks;
  CHECK(find_unknown(looks.diagnose(), "queue-growth") != nullptr);
  static_cast<void>(looks.diagnose());
  const ResourceGrowths growths = {{{"mlx5_0", "mr"}, {1000, 1400, 600, 10}}};
  const Diagnosis diagnosis = diagnose({.now = &looks.host_now, .growths = &growths});
  REQUIRE(find(diagnosis, "queue-growth") != nullptr);
  CHECK(find(diagnosis, "queue-growth")->found ==
        "mr grew from 1000 to 1400 in 10 min, at every one of 10 looks");
  const ResourceGrowths others = {{{"mlx5_1", "mr"}, {1000, 1400, 600, 10}}};
  const Diagnosis quiet = diagnose({.now = &looks.host_now, .growths = &others});
  CHECK(find(quiet, "queue-growth") == nullptr);
  CHECK(find_unknown(quiet, "queue-growth") == nullptr);
}
