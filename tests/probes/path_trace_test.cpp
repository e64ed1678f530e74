// A fabric of two ways to a peer, traced label by label.
#include "probes/path_trace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "probes/flow_label.h"
#include "tests/support/manual_clock.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

constexpr std::uint16_t kRoce = 4791;

// The peer is `distance` hops away; odd source ports take one spine, even ones the other.
class Fabric final : public TraceNetwork {
 public:
  explicit Fabric(test::ManualClock& clock) : clock_(clock) {}

  core::Result<std::optional<HopAnswer>> probe(std::uint16_t source_port,
                                               std::uint16_t destination_port, int ttl) override {
    if (broken) return core::fail("the network is unreachable");
    sent[ttl].push_back(clock_.steady());
    if (destination_port == kRoce) farthest_roce = std::max(farthest_roce, ttl);
    const bool roce = destination_port == kRoce;
    const int away = roce && source_port == short_port ? distance - 1 : distance;
    if (ttl >= away) {
      if (roce) return HopAnswer{"10.0.9.1", true, 5us};
      if (mute_peer) return std::nullopt;
      return HopAnswer{"10.0.9.1", true, 5us};
    }
    if (ttl == mute_hop) return std::nullopt;
    if (ttl == drops_first_of && drops_left-- > 0) return std::nullopt;
    const std::string spine = ttl == 2 ? (source_port % 2 == 1 ? "b" : "a") : "";
    return HopAnswer{"router-" + std::to_string(ttl) + spine, false, 3us};
  }

  int distance = 4;
  int mute_hop = 0;
  int drops_first_of = 0;
  int drops_left = 1;
  int short_port = 0;
  bool mute_peer = false;
  bool broken = false;
  int farthest_roce = 0;
  std::map<int, std::vector<core::SteadyTime>> sent;  // by time to live

 private:
  test::ManualClock& clock_;
};

struct Bench {
  test::ManualClock clock;
  Fabric fabric{clock};
  int patience = 1000000;
  PathTrace tracer{fabric, clock, [this](std::chrono::nanoseconds wait) {
                     clock.advance(wait);
                     return --patience >= 0;
                   }};

  std::vector<TracedPath> trace(std::vector<std::uint32_t> labels) {
    std::vector<TracedPath> paths;
    for (const std::uint32_t label : labels)
      if (auto path = tracer.trace(label, fabric.distance, 2)) paths.push_back(*path);
    return paths;
  }
};

}  // namespace

TEST_CASE("the distance is found without a packet to RoCE's port") {
  Bench bench;
  CHECK(bench.tracer.distance(2) == 4);
  CHECK(bench.fabric.farthest_roce == 0);
  bench.fabric.mute_peer = true;
  CHECK_FALSE(bench.tracer.distance(2));
  bench.fabric.broken = true;
  CHECK(bench.tracer.distance(2).error().message() == "the network is unreachable");
}

TEST_CASE("a trace ends one hop short of the peer and says who shares a way") {
  Bench bench;
  const auto paths = bench.trace({2, 3, 4, 5});
  REQUIRE(paths.size() == 4);
  CHECK(bench.fabric.farthest_roce == 3);
  for (const TracedPath& path : paths) {
    CHECK(path.is_complete());
    CHECK(path.hops.size() == 3);
    CHECK(path.source_port == udp_source_port(path.label));
  }
  CHECK(paths[1].hops[1].answer->from == "router-2b");
  CHECK(shared_paths(paths) == std::vector<std::vector<std::uint32_t>>{{2, 4}, {3, 5}});
}

TEST_CASE("no router gets more than a packet a second") {
  Bench bench;
  static_cast<void>(bench.tracer.distance(2));
  bench.fabric.mute_hop = 2;
  static_cast<void>(bench.trace({1, 2, 3, 4}));
  for (const auto& [ttl, times] : bench.fabric.sent) {
    INFO("hop " << ttl);
    REQUIRE(times.size() >= (ttl < 4 ? 5U : 1U));
    for (std::size_t i = 1; i < times.size(); ++i) CHECK(times[i] - times[i - 1] >= 1s);
  }
}

TEST_CASE("a router that does not answer leaves a gap, one that is slow is asked again") {
  Bench mute;
  mute.fabric.mute_hop = 2;
  const auto gaps = mute.trace({2});
  REQUIRE(gaps.size() == 1);
  CHECK_FALSE(gaps[0].is_complete());
  CHECK(gaps[0].hops.size() == 3);
  CHECK_FALSE(gaps[0].hops[1].answer);
  CHECK(shared_paths(gaps).empty());

  Bench slow;
  slow.fabric.drops_first_of = 2;
  CHECK(slow.trace({2})[0].is_complete());
}

TEST_CASE("a way that is shorter than the others is left alone") {
  Bench bench;
  bench.fabric.short_port = udp_source_port(3);
  const auto paths = bench.trace({2, 3});
  CHECK(paths[0].is_complete());
  CHECK_FALSE(paths[1].is_complete());
  CHECK(paths[1].problem.starts_with("the peer answered at hop 3"));
  CHECK(paths[1].hops.size() == 2);
}

TEST_CASE("whoever interrupts is not kept") {
  Bench bench;
  static_cast<void>(bench.trace({1}));
  bench.patience = 0;
  CHECK(bench.trace({2}).empty());
}
