// The real program beside devices that hang, come and go, and clients that come at once.
#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "tests/daemon/daemon_process.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/series.h"

namespace rdmadiag::test {
namespace {

std::map<std::string, std::string> scrape(const std::string& url) {
  return parse_series(get(url + "/metrics").body);
}

std::string config_file(const TempDir& folder, const std::string& text) {
  const auto path = folder.path() / "rdmadiag.yaml";
  std::ofstream(path) << text;
  return path.string();
}

std::map<std::string, std::string> of_device(const std::map<std::string, std::string>& all,
                                             const std::string& device) {
  std::map<std::string, std::string> some;
  for (const auto& [series, value] : all)
    if (series.starts_with("rdma_") && series.find("device=\"" + device + '"') != std::string::npos)
      some.emplace(series, value);
  return some;
}

// Two mlx5 devices of the same host; a FIFO that nobody writes to takes the place of a counter of
// the first, so that its open never returns.
TEST_CASE("a device that hangs hides nothing else and does not hold up the end") {
  SampleTree tree("mlx5_ib_ndr");
  const TempDir folder;
  const std::string config = config_file(folder, "collect: {min_interval: 10ms, deadline: 2s}\n");
  const std::string stuck = "mlx5_0";
  std::map<std::string, std::string> healthy;
  {
    DaemonProcess daemon(serving(tree, {"--config.file", config}));
    healthy = scrape(daemon.url());
  }
  REQUIRE(of_device(healthy, stuck).size() > 20);
  const std::string counter = "sys/class/infiniband/" + stuck + "/ports/1/counters/port_rcv_data";
  tree.remove(counter);
  REQUIRE(mkfifo(tree.at(counter).c_str(), 0600) == 0);

  DaemonProcess daemon(serving(tree, {"--config.file", config}));
  const std::string url = daemon.url();
  for (int round = 0; round < 3; ++round) {
    const auto now = scrape(url);
    CHECK(of_device(now, stuck).size() < 10);
    for (const auto& [series, value] : healthy) {
      if (!series.starts_with("rdma_") || series.find("device=\"" + stuck) != std::string::npos)
        continue;
      INFO(series);
      CHECK(now.count(series) == 1);
    }
    CHECK(now.at("rdmadiag_source_success{source=\"sysfs_counters\",device=\"" + stuck + "\"}") ==
          "0");
  }
  CHECK(get(url + "/-/healthy").status == 200);
  daemon.send_signal(SIGTERM);
  const Finished finished = daemon.wait();
  INFO(finished.err);
  CHECK(finished.exit_code == 0);
  const std::string said = "device=" + stuck + " msg=\"device does not answer\"";
  const std::size_t first = finished.err.find(said);
  REQUIRE(first != std::string::npos);
  CHECK(finished.err.find(said, first + 1) == std::string::npos);
}

TEST_CASE("requests within the interval share one read, also when they come at once") {
  SampleTree tree("mlx5_ib_ndr");
  const TempDir folder;
  const std::string config = config_file(folder, "collect: {min_interval: 1m}\n");
  DaemonProcess daemon(serving(tree, {"--config.file", config}));
  const std::string url = daemon.url();
  std::vector<std::string> stamps(8);
  {
    std::vector<std::jthread> clients;
    for (std::string& stamp : stamps)
      clients.emplace_back([&stamp, &url] {
        const auto series = scrape(url);
        stamp = series.lower_bound("rdmadiag_source_last_success_timestamp_seconds")->second;
      });
  }
  CHECK_FALSE(stamps.front().empty());
  for (const std::string& stamp : stamps) CHECK(stamp == stamps.front());
  tree.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "424242424242\n");
  const std::string series = "rdma_port_rx_bytes_total{device=\"mlx5_0\",port=\"1\"}";
  CHECK(scrape(url).at(series) != "1696969696968");
}

TEST_CASE("a thousand scrapes leave no descriptor behind") {
  const SampleTree tree("mlx5_roce_200g");
  const TempDir folder;
  const std::string config = config_file(folder, "collect: {min_interval: 10ms}\n");
  DaemonProcess daemon(serving(tree, {"--config.file", config}));
  const std::string url = daemon.url() + "/metrics";
  REQUIRE(get(url).status == 200);
  // Connections that clients have closed take the server a moment to notice: its own count of open
  // ones must not grow, so the highest of the first rounds is the bound.
  std::size_t bound = 0;
  for (int round = 0; round < 20; ++round) {
    REQUIRE(get(url).status == 200);
    bound = std::max(bound, daemon.open_descriptors());
  }
  int failed = 0;
  for (int round = 0; round < 1000; ++round) failed += get(url).status == 200 ? 0 : 1;
  CHECK(failed == 0);
  CHECK(daemon.open_descriptors() <= bound);
}

TEST_CASE("devices that come are picked up, those that go are marked") {
  SampleTree tree("no_devices");
  const TempDir folder;
  const std::string config =
      config_file(folder, "collect: {min_interval: 10ms, rescan_interval: 1s}\n");
  DaemonProcess daemon(serving(tree, {"--config.file", config}));
  const std::string url = daemon.url();
  CHECK(scrape(url).at("rdma_devices") == "0");
  tree.overlay("mlx5_ib_ndr");
  // Each scrape is a look; the number of looks bounds the wait, not the clock.
  const auto look_until = [&](const auto& holds) {
    for (int look = 0; look < 20'000; ++look) {
      const auto series = scrape(url);
      if (holds(series)) return true;
    }
    return false;
  };
  CHECK(look_until([](const auto& series) { return series.at("rdma_devices") != "0"; }));
  tree.remove("sys/class/infiniband");
  tree.make_directory("sys/class/infiniband");
  CHECK(look_until([](const auto& series) {
    const auto present = series.find("rdma_device_present{device=\"mlx5_0\"}");
    return present != series.end() && present->second == "0";
  }));
}

}  // namespace
}  // namespace rdmadiag::test
