// The page of one pair: bars of what took the time, losses, and names that mean harm.
#include "exporters/html_pair.h"

#include <catch2/catch.hpp>

namespace rdmadiag::exporters {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

core::ProbeSnapshot rnic() {
  core::ProbeSnapshot made;
  made.device = "mlx5_0";
  made.port = 2;
  made.nic = "n1/mlx5_0";
  return made;
}

core::ProbePeer peer(const std::string& name) {
  core::ProbePeer made;
  made.peer = name;
  made.resolved = true;
  made.sent = 100;
  made.lost = 20;
  made.bad = true;
  return made;
}

core::PairWindow window(std::int64_t start, double network, std::uint64_t lost) {
  return {.start = start,
          .sent = 100,
          .lost = lost,
          .network_p50 = network,
          .network_most = 2 * network,
          .prober_mean = network / 2,
          .responder_mean = network / 2};
}

TEST_CASE("A pair's page says how it is, and splits each window's round trip") {
  const core::PairHistory history = {window(1'767'225'600, 10e-6, 0),
                                     window(1'767'225'630, 20e-6, 7)};
  const std::string page =
      render_pair({.rnic = rnic(), .peer = peer("n2/mlx5_0"), .history = history});
  CHECK(contains(page, "<h1>n1/mlx5_0 → n2/mlx5_0</h1>"));
  CHECK(contains(page, "20 % lost"));
  // The second window is the highest: half of it the network, a quarter each host.
  CHECK(contains(page, R"(<rect class="network" x="30" y="80" width="25" height="80">)"));
  CHECK(contains(page, R"(<rect class="responder" x="30" y="40" width="25" height="40">)"));
  CHECK(contains(page, R"(<rect class="prober" x="30" y="0" width="25" height="40">)"));
  CHECK(contains(page, R"(<rect class="network" x="0" y="120" width="25" height="40">)"));
  CHECK(contains(page, R"(<rect class="lost" x="30")"));
  CHECK_FALSE(contains(page, R"(<rect class="lost" x="0")"));
  CHECK(contains(page, "at most 40 µs"));
  // The newest first in the table.
  CHECK(page.find("00:00:30 UTC") < page.find("00:00:00 UTC"));
}

TEST_CASE("A pair without a window yet has no chart, one that lost all has bars of loss only") {
  CHECK(contains(render_pair({.rnic = rnic(), .peer = peer("b"), .history = {}}), "No window"));
  core::PairWindow dead;
  dead.sent = dead.lost = 30;
  const std::string page = render_pair({.rnic = rnic(), .peer = peer("b"), .history = {dead}});
  CHECK_FALSE(contains(page, "class=\"network\" x="));
  CHECK(contains(page, "number bad"));
}

TEST_CASE("A link to a pair survives every name, and the page shows it as text") {
  const std::string evil = "n2/\"><script>x</script>&peer=b#\n";
  CHECK(pair_link(rnic(), peer(evil)) ==
        "pair?device=mlx5_0&port=2&peer=n2%2F%22%3E%3Cscript%3Ex%3C%2Fscript%3E%26peer%3Db%23%0A");
  const std::string page = render_pair({.rnic = rnic(), .peer = peer(evil), .history = {}});
  CHECK_FALSE(contains(page, "<script>x"));
}

}  // namespace
}  // namespace rdmadiag::exporters
