#include "agent/host/private_statistics.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/fake_ethtool.h"
#include "tests/support/source_fixture.h"

using namespace rdmadiag;
using host::PrivateStatistics;
using nlohmann::json;
using test::sample_of;

namespace {

struct Setup {
  test::FakeEthtoolIoctl kernel;
  PrivateStatistics statistics;
  host::ExtraStatistics extra;
  core::NetdevSnapshot netdev;

  Setup() { netdev.name = "eth2"; }
  test::FakeNetdev& fake() { return kernel.netdevs["eth2"]; }
  core::Status read() {
    netdev.counters.clear();
    return statistics.read(kernel, fake().driver, extra, netdev);
  }
};

// The series the samples make: metric and index label → value in the metric's unit.
std::map<std::string, double> series_of(const std::vector<core::CounterSample>& samples) {
  std::map<std::string, double> series;
  for (const core::CounterSample& sample : samples) {
    const core::MetricSpec& metric = *sample.spec->metric;
    std::string name(metric.name);
    if (!metric.index_label.empty())
      name +=
          "{" + std::string(metric.index_label) + "=\"" + std::string(sample.spec->index) + "\"}";
    series[name] += static_cast<double>(sample.value) * sample.spec->scale;
  }
  return series;
}

}  // namespace

TEST_CASE("every driver's statistics become the canonical series, and nothing else") {
  std::ifstream in(std::string(RDMADIAG_FIXTURES) + "/ethtool/drivers.json");
  const json drivers = json::parse(in);
  CHECK(drivers.size() == 11);
  for (const auto& [driver, expected] : drivers.items()) {
    INFO(driver);
    Setup s;
    s.fake().driver = driver;
    for (const auto& entry : expected["statistics"])
      s.fake().statistics.emplace_back(entry[0].get<std::string>(), entry[1].get<std::uint64_t>());
    REQUIRE(s.read());

    auto series = series_of(s.netdev.counters);
    for (const auto& [name, value] : expected["series"].items()) {
      INFO(name);
      REQUIRE(series.contains(name));
      CHECK(series[name] == Approx(value.get<double>()));
      series.erase(name);
    }
    // What is left are the driver's own metrics, each of one statistic.
    std::set<std::string> own;
    for (const core::CounterSample& sample : s.netdev.counters) {
      CHECK(sample.spec->metric->scope == core::MetricScope::kNetdev);
      CHECK(sample.spec->source == core::CounterSource::kEthtool);
      const std::string_view metric = sample.spec->metric->name;
      if (metric.starts_with("rdma_nic_")) continue;
      CHECK(metric.starts_with("rdma_" + driver.substr(0, 3)));
      own.insert(std::string(sample.name()));
    }
    CHECK(own == expected["own"].get<std::set<std::string>>());
    for (const auto& [name, value] : series) CHECK_FALSE(name.starts_with("rdma_nic_"));
  }
}

TEST_CASE("names are asked for once, values once a read") {
  Setup s;
  s.fake().statistics = {{"rx_prio3_pause", 5}, {"noise", 1}};
  for (int i = 0; i < 10; ++i) REQUIRE(s.read());
  CHECK(s.kernel.name_calls == 1);
  CHECK(s.kernel.value_calls == 10);
  CHECK(s.netdev.counters.size() == 1);
}

TEST_CASE("when the number of statistics changes the names are read anew") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 1}};
  REQUIRE(s.read());
  // PFC was turned on: mlx5 now lists the priority, and before what was there.
  s.fake().statistics = {{"rx_prio3_pause", 7}, {"rx_discards_phy", 2}};
  REQUIRE(s.read());
  CHECK(sample_of(s.netdev.counters, "rx_prio3_pause") == 7U);
  CHECK(sample_of(s.netdev.counters, "rx_discards_phy") == 2U);
  CHECK(s.kernel.name_calls == 2);
}

TEST_CASE("a number that never stands still is an error and not an endless loop") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 1}};
  s.fake().grows_each_time = true;
  const auto status = s.read();
  REQUIRE_FALSE(status);
  CHECK(status.error().message() == "ethtool statistics of eth2 keep changing in number");
  CHECK(s.netdev.counters.empty());
}

TEST_CASE("a driver of nothing but unknown statistics is not asked for their values") {
  Setup s;
  for (int i = 0; i < 4000; ++i) s.fake().statistics.emplace_back("q" + std::to_string(i), 1);
  for (int i = 0; i < 3; ++i) REQUIRE(s.read());
  CHECK(s.kernel.value_calls == 0);
  CHECK(s.netdev.counters.empty());
}

TEST_CASE("unknown statistics are taken by pattern, up to a cap") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 1},
                         {"rx_xsk_drop", 2},
                         {"tx_xsk_full", 3},
                         {"rx3_xsk_drop", 4},
                         {"other", 5}};
  s.extra = host::extra_statistics({"xsk", "[", "^no$"});
  CHECK(s.extra.patterns.size() == 2);
  s.extra.max_per_netdev = 2;
  REQUIRE(s.read());
  CHECK(s.netdev.counters.size() == 3);
  CHECK(sample_of(s.netdev.counters, "rx_xsk_drop") == 2U);
  CHECK(sample_of(s.netdev.counters, "tx_xsk_full") == 3U);
  CHECK_FALSE(sample_of(s.netdev.counters, "other"));
  CHECK(s.statistics.extra_left_out() == 1);
}

TEST_CASE("of two statistics of one name the first is taken") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 10}, {"rx_discards_phy", 90}};
  REQUIRE(s.read());
  REQUIRE(s.netdev.counters.size() == 1);
  CHECK(s.netdev.counters[0].value == 10);
}

TEST_CASE("a virtual function does not claim its port's counters") {
  Setup s;
  s.fake().statistics = {{"rx_prio3_pause", 1},
                         {"rx_discards_phy", 2},
                         {"rx_prio3_bytes", 3},
                         {"outbound_pci_stalled_rd", 4},
                         {"rx_vport_rdma_unicast_bytes", 5},
                         {"rx_steer_missed_packets", 6}};
  s.netdev.is_vf = true;
  REQUIRE(s.read());
  CHECK(s.netdev.counters.size() == 2);
  CHECK(sample_of(s.netdev.counters, "rx_vport_rdma_unicast_bytes") == 5U);
  CHECK(sample_of(s.netdev.counters, "rx_steer_missed_packets") == 6U);
}

TEST_CASE("a failed read says why and starts with the names") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 1}};
  REQUIRE(s.read());
  s.fake().statistics_error = EIO;
  const auto status = s.read();
  REQUIRE_FALSE(status);
  CHECK(status.error().code.value() == EIO);
  s.fake().statistics_error = 0;
  REQUIRE(s.read());
  CHECK(s.kernel.name_calls == 2);
}

TEST_CASE("names that change while their number stays are found after forget()") {
  Setup s;
  s.fake().statistics = {{"rx_discards_phy", 1}};
  REQUIRE(s.read());
  s.fake().statistics = {{"tx_discards_phy", 2}};
  s.statistics.forget();
  REQUIRE(s.read());
  CHECK(sample_of(s.netdev.counters, "tx_discards_phy") == 2U);
}
