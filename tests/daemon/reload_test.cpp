// Reloading the configuration of the real program.
#include <signal.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/daemon/daemon_process.h"
#include "tests/exporters/curl_client.h"
#include "tests/exporters/series.h"

namespace rdmadiag::test {
namespace {

class Config {
 public:
  explicit Config(const std::string& text) { write(text); }
  void write(const std::string& text) { std::ofstream(path()) << text; }
  [[nodiscard]] std::string path() const { return (folder_.path() / "rdmadiag.yaml").string(); }

 private:
  TempDir folder_;
};

std::map<std::string, std::string> scrape(const std::string& url) {
  return parse_series(get(url + "/metrics").body);
}

constexpr const char* kSuccessful = "rdmadiag_config_last_reload_successful";
constexpr const char* kSuccessTime = "rdmadiag_config_last_reload_success_timestamp_seconds";

TEST_CASE("SIGHUP takes a good file and keeps the old one when the new is bad") {
  const SampleTree tree("mlx5_roce_200g");
  Config config("collect: {min_interval: 10ms}\n");
  DaemonProcess daemon(serving(tree, {"--config.file", config.path()}));
  const std::string url = daemon.url();
  const auto start = scrape(url);
  REQUIRE(start.at("rdma_devices") != "0");
  CHECK(start.at(kSuccessful) == "1");

  config.write("collect: {min_interval: 10ms}\ndevices: {exclude: [\".*\"]}\n");
  daemon.send_signal(SIGHUP);
  daemon.wait_for_line("msg=\"configuration reloaded\"");
  const auto excluded = scrape(url);
  CHECK(excluded.at("rdma_devices") == "0");
  CHECK(excluded.at(kSuccessful) == "1");
  CHECK(std::stod(excluded.at(kSuccessTime)) >= std::stod(start.at(kSuccessTime)));

  config.write("devices: {exclud: []}\n");
  daemon.send_signal(SIGHUP);
  const std::string said = daemon.wait_for_line("msg=\"configuration not reloaded\"");
  CHECK(said.find(":1: devices.exclud: unknown key (did you mean exclude?)") != std::string::npos);
  const auto refused = scrape(url);
  CHECK(refused.at("rdma_devices") == "0");
  CHECK(refused.at(kSuccessful) == "0");
  CHECK(refused.at(kSuccessTime) == excluded.at(kSuccessTime));

  config.write("compat: {node_exporter: true}\n");
  daemon.send_signal(SIGHUP);
  daemon.wait_for_line("msg=\"configuration reloaded\"");
  const auto repaired = scrape(url);
  CHECK(repaired.at("rdma_devices") == start.at("rdma_devices"));
  CHECK(repaired.at(kSuccessful) == "1");
  const auto compat = repaired.lower_bound("node_infiniband_");
  REQUIRE(compat != repaired.end());
  CHECK(compat->first.starts_with("node_infiniband_"));
}

TEST_CASE("a web configuration that is not taken shows until it is mended") {
  const SampleTree tree("no_devices");
  const std::string good = "http_server_config: {headers: {X-Frame-Options: deny}}\n";
  Config web(good);
  DaemonProcess daemon(serving(tree, {"--web.config.file", web.path()}));
  const std::string url = daemon.url();
  const auto becomes = [&](const std::string& value) {
    // The file is looked at once a second.
    for (int tries = 0; tries < 20'000; ++tries)
      if (scrape(url).at("rdmadiag_web_config_last_reload_successful") == value) return true;
    return false;
  };
  CHECK(becomes("1"));
  web.write("http_server_confg: {}\n");
  CHECK(becomes("0"));
  CHECK(scrape(url).at(kSuccessful) == "1");
  web.write(good);
  CHECK(becomes("1"));
}

TEST_CASE("flags stay in force whatever the file says") {
  const SampleTree tree("mlx5_roce_200g");
  Config config("devices: {include: [\".*\"]}\n");
  DaemonProcess daemon(serving(tree, {"--config.file", config.path(), "--device.exclude", ".*"}));
  const std::string url = daemon.url();
  CHECK(scrape(url).at("rdma_devices") == "0");
  config.write("devices: {exclude: []}\n");
  daemon.send_signal(SIGHUP);
  daemon.wait_for_line("msg=\"configuration reloaded\"");
  CHECK(scrape(url).at("rdma_devices") == "0");
}

TEST_CASE("POST /-/reload answers with the outcome, and is off unless enabled") {
  const SampleTree tree("no_devices");
  Config config("");
  const auto post = [](const std::string& url) {
    return fetch({.url = url + "/-/reload", .method = "POST"});
  };
  DaemonProcess disabled(serving(tree, {"--config.file", config.path()}));
  CHECK(post(disabled.url()).status == 404);

  DaemonProcess enabled(serving(tree, {"--config.file", config.path(), "--web.enable-lifecycle"}));
  const std::string url = enabled.url();
  CHECK(post(url).status == 200);
  CHECK(get(url + "/-/reload").status == 405);
  config.write("zebra: 1\n");
  const CurlResponse refused = post(url);
  CHECK(refused.status == 500);
  CHECK(refused.body.find(config.path() + ":1: zebra: unknown key") != std::string::npos);
  CHECK(scrape(url).at(kSuccessful) == "0");
}

}  // namespace
}  // namespace rdmadiag::test
