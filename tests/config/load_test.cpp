#include "config/load.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "config/rate.h"
#include "config/render.h"
#include "config/schema.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::config {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const fs::path kDefaultFile = RDMADIAG_SOURCE_DIR "/config/rdmadiag.yaml";

Config parsed(std::string_view text) {
  auto config =
      parse_config(text, "/etc/rdmadiag", [](const fs::path&, bool) { return std::nullopt; });
  for (const auto& problem : config ? core::Problems{} : config.error())
    UNSCOPED_INFO(core::format_problem("f", problem));
  REQUIRE(config);
  return *config;
}

TEST_CASE("the shipped file says the defaults") {
  CHECK(load_config(kDefaultFile).value() == Config{});
  CHECK(parsed("") == Config{});
}

TEST_CASE("the shipped file mentions every key") {
  const std::string text = read(kDefaultFile);
  for (const std::string& path : config_keys()) {
    INFO(path);
    const std::string key =
        path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    CHECK(text.find(key + ':') != std::string::npos);
  }
}

TEST_CASE("each value in the shipped file is really read") {
  // A value that were ignored would pass for its default: change each and see a difference.
  const std::string text = read(kDefaultFile);
  std::istringstream lines(text);
  std::string changed;
  int values = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    const bool value = colon != std::string::npos && line.find_first_not_of(' ') != line.find('#');
    changed += value ? line.substr(0, colon) + ": {wrong: type}\n" : line + '\n';
    values += value ? 1 : 0;
  }
  const auto config = parse_config(changed, "/", check_file);
  REQUIRE_FALSE(config);
  constexpr int kMapsOfAnyKey = 2;  // labels, rails
  CHECK(static_cast<int>(config.error().size()) + kMapsOfAnyKey == values);
}

constexpr std::string_view kEverything = R"(
labels: {leaf: leaf-12, rail: 0, pod: "p\"1"}
rails: {mlx5_0: "0", mlx5_1: "1"}
devices: {include: ["mlx5_[0-9]+"], exclude: [mlx5_an0], link_layers: [ethernet]}
collect:
  min_interval: 2s
  deadline: 500ms
  rescan_interval: 1m
  qps: true
  skip_hw_counters: [bnxt_re]
  ethtool_extra: ["rx_.*"]
  burst: {enabled: true, rate: 100}
  sources: {dcb: false, ethtool: false}
peers:
  static: [{address: "node2:10915", labels: {leaf: leaf-12}}, {address: "[2001:db8::1]:10915"}]
  file_sd: [{files: [peers/*.json], refresh: 10s}]
  http_sd: [{url: "https://inventory.example.com/x", refresh: 2m}]
  dns_sd: [{names: [a.example.com], type: AAAA, port: 1, refresh: 5s}]
  etcd: {endpoints: ["http://127.0.0.1:2379"], prefix: /x/, ttl: 10s}
  tls: {ca_file: ca.pem, cert_file: /etc/c.pem, key_file: ../k.pem}
probes:
  key_file: probe.key
  ud: {enabled: false, leaf_rate: 0.5, fabric_rate: 20, labels: 4, timeout: 1s, dscp: 0, per_peer_series: never}
  rc: {enabled: false, connections: 2, interval: 5s, op: read}
  loopback: {interval: 1m}
  siblings: {interval: 10s}
bench: {enabled: true, max_seconds: 60, max_concurrent: 2}
expect: {devices: 8, rate: 400Gb/s, link_layer: ethernet, firmware: "28.39.*"}
compat: {node_exporter: true}
)";

TEST_CASE("every key reaches its value") {
  const Config config = parsed(kEverything);
  CHECK(config.labels == Labels{{"leaf", "leaf-12"}, {"rail", "0"}, {"pod", "p\"1"}});
  CHECK(config.rails.at("mlx5_1") == "1");
  CHECK(config.devices.exclude == std::vector<std::string>{"mlx5_an0"});
  CHECK(config.collect.min_interval == 2s);
  CHECK(config.collect.deadline == 500ms);
  CHECK(config.collect.burst.rate == 100);
  CHECK_FALSE(config.collect.sources.enabled[static_cast<std::size_t>(core::Source::kDcb)]);
  CHECK(config.collect.sources.enabled[static_cast<std::size_t>(core::Source::kPcie)]);
  CHECK(config.peers.static_peers.at(1).address == "[2001:db8::1]:10915");
  CHECK(config.peers.file_sd.at(0).files.at(0) == "/etc/rdmadiag/peers/*.json");
  CHECK(config.peers.dns_sd.at(0).type == DnsRecord::kAaaa);
  CHECK(config.peers.tls.ca_file == "/etc/rdmadiag/ca.pem");
  CHECK(config.peers.tls.cert_file == "/etc/c.pem");
  CHECK(config.peers.tls.key_file == "/etc/k.pem");
  CHECK(config.probes.ud.leaf_rate == 0.5);
  CHECK(config.probes.ud.per_peer_series == PerPeerSeries::kNever);
  CHECK(config.probes.rc.op == RcOperation::kRead);
  CHECK(config.probes.sibling_interval == 10s);
  CHECK(config.expect.devices == 8);
  CHECK(config.expect.rate_bits_per_second == 400e9);
  CHECK(config.expect.link_layer == core::LinkLayer::kEthernet);
  CHECK(config.compat.node_exporter);
}

TEST_CASE("what is written reads back as the same") {
  for (const Config& config : {Config{}, parsed(kEverything)}) {
    const std::string text = render_config(config);
    INFO(text);
    CHECK(parsed(text) == config);
  }
  Config hostile;
  hostile.labels = {{"leaf", "a\"b\\c\n# d: {e}\xc3\xa9"}, {"pod", "null"}, {"rail", "  "}};
  hostile.expect.firmware = "~";
  const Config back = parsed(render_config(hostile));
  CHECK(back.labels.at("pod") == "null");
  CHECK(back.labels.at("rail") == "  ");
  CHECK(back.labels == hostile.labels);
  CHECK(back.expect.firmware == "~");
}

TEST_CASE("files that cannot be read give one line") {
  const test::TempDir folder;
  const auto first_line = [](const fs::path& path) {
    const auto config = load_config(path);
    REQUIRE_FALSE(config);
    REQUIRE(config.error().size() == 1);
    return config.error().front();
  };
  const fs::path missing = folder.path() / "missing.yaml";
  CHECK(first_line(missing) == missing.string() + ": No such file or directory");
  CHECK(first_line(folder.path()) == folder.path().string() + ": is not a regular file");
  const fs::path fifo = folder.path() / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(first_line(fifo) == fifo.string() + ": is not a regular file");

  const fs::path large = folder.path() / "large.yaml";
  std::ofstream(large) << std::string((1 << 20) + 1, ' ');
  CHECK(first_line(large) == large.string() + ":1: larger than 1048576 bytes");
  const fs::path binary = folder.path() / "binary.yaml";
  std::ofstream(binary) << "a: 1\n" << '\0';
  CHECK(first_line(binary) == binary.string() + ":2: control character: this is not a text file");
}

TEST_CASE("a key file must be private") {
  const test::TempDir folder;
  const fs::path key = folder.path() / "key";
  std::ofstream(key) << "secret";
  const auto mode = [&](mode_t bits) {
    REQUIRE(chmod(key.c_str(), bits) == 0);
    return check_file(key, true);
  };
  CHECK_FALSE(mode(0600));
  CHECK_FALSE(mode(0400));
  CHECK_FALSE(mode(0640));
  CHECK(mode(0644) == key.string() + ": holds a secret and is open to others (chmod 600)");
  CHECK(mode(0620).has_value());
  CHECK_FALSE(check_file(key, false));
}

TEST_CASE("rates are read and written") {
  CHECK(parse_rate("400Gb/s") == 400e9);
  CHECK(parse_rate("2.5 Gb/s") == 2.5e9);
  CHECK(parse_rate("100Mb/s") == 100e6);
  CHECK(parse_rate("1.6Tb/s") == 1.6e12);
  for (const std::string_view bad : {"", "400", "Gb/s", "-1Gb/s", "0Gb/s", "1e3Gb/s", "400GB/s",
                                     "400Gbps", "400  Gb/s", "nanGb/s", "infb/s"})
    CHECK_FALSE(parse_rate(bad));
  for (const std::string_view text :
       {"400Gb/s", "2.5Gb/s", "1.6Tb/s", "100Mb/s", "1b/s", "97.99872Gb/s"})
    CHECK(format_rate(parse_rate(text).value()) == text);
}

}  // namespace
}  // namespace rdmadiag::config
