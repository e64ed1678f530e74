// Debian's node_exporter and we, on the same tree: series for series.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "agent/host/collect.h"
#include "exporters/prometheus.h"
#include "tests/exporters/curl_client.h"
#include "tests/support/manual_clock.h"
#include "tests/support/peer_process.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::exporters {
namespace {

struct Exposition {
  std::map<std::string, double> series;
  std::set<std::string> headers;  // HELP and TYPE lines
};

Exposition infiniband_part(const std::string& text) {
  Exposition part;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP node_infiniband_") ||
        line.starts_with("# TYPE node_infiniband_")) {
      part.headers.insert(line);
    } else if (line.starts_with("node_infiniband_")) {
      const std::size_t space = line.rfind(' ');
      part.series[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
  }
  return part;
}

Exposition of_peer(const test::SampleTree& tree) {
  test::PeerProcess peer({"prometheus-node-exporter", "--collector.disable-defaults",
                          "--collector.infiniband", "--web.disable-exporter-metrics",
                          "--path.sysfs=" + tree.sys().string(),
                          "--web.listen-address=127.0.0.1:0"});
  const CurlResponse answer = get("http://" + peer.announced("address=") + "/metrics");
  REQUIRE(answer.status == 200);
  return infiniband_part(answer.body);
}

Exposition of_ours(const test::SampleTree& tree) {
  host::CollectOptions options;
  options.deadline = std::chrono::minutes(1);
  host::CollectorParts parts;
  parts.clock = std::make_shared<test::ManualClock>();
  host::Collector collector(host::Roots{tree.sys(), tree.proc(), tree.dev()}, options, parts);
  MetricsOptions metrics;
  metrics.node_exporter = true;
  std::string text;
  render_prometheus(*collector.collect(), {}, metrics, text);
  return infiniband_part(text);
}

TEST_CASE("node_exporter and we show the same on every sample tree it can read") {
  std::size_t read_by_both = 0;
  for (const std::string& name : test::sample_tree_names()) {
    INFO(name);
    const test::SampleTree tree(name);
    const Exposition peer = of_peer(tree);
    // One file it does not expect, and it shows nothing of the whole host: there we show more.
    if (peer.series.empty()) continue;
    ++read_by_both;
    const Exposition ours = of_ours(tree);
    CHECK(ours.series == peer.series);
    CHECK(ours.headers == peer.headers);
  }
  CHECK(read_by_both >= 6);
}

void check_same(const test::SampleTree& tree) {
  const Exposition peer = of_peer(tree);
  const Exposition ours = of_ours(tree);
  REQUIRE_FALSE(peer.series.empty());
  CHECK(ours.series == peer.series);
  CHECK(ours.headers == peer.headers);
}

const std::string kPort = "sys/class/infiniband/mlx4_0/ports/1/";

TEST_CASE("Every counter node_exporter knows, with odd values and rates") {
  test::SampleTree tree("mlx4");
  std::uint64_t value = 100;
  for (const std::string name : {"excessive_buffer_overrun_errors",
                                 "link_downed",
                                 "link_error_recovery",
                                 "local_link_integrity_errors",
                                 "multicast_rcv_packets",
                                 "multicast_xmit_packets",
                                 "port_rcv_constraint_errors",
                                 "port_rcv_data",
                                 "port_rcv_discards",
                                 "port_rcv_errors",
                                 "port_rcv_packets",
                                 "port_rcv_remote_physical_errors",
                                 "port_rcv_switch_relay_errors",
                                 "port_xmit_constraint_errors",
                                 "port_xmit_discards",
                                 "port_xmit_packets",
                                 "port_xmit_wait",
                                 "unicast_rcv_packets",
                                 "unicast_xmit_packets",
                                 "VL15_dropped"}) {
    tree.write(kPort + "counters/" + name, std::to_string(++value) + "\n");
  }
  tree.write(kPort + "counters/port_xmit_data", "9223372036854775807\n");  // wraps when times four
  tree.write(kPort + "counters/symbol_error", "N/A (no PMA)\n");
  for (const std::string rate : {"53.1 Gb/sec (4X)", "2.5 Gb/sec (1X SDR)", "0 GB/sec"}) {
    INFO(rate);
    tree.write(kPort + "rate", rate + "\n");
    check_same(tree);
  }
}

// Where a file has both forms we show the wide one only: read twice, traffic would count double.
TEST_CASE("The 64-bit counters of old kernels") {
  test::SampleTree tree("mlx4");
  std::uint64_t value = 100;
  for (const std::string name :
       {"multicast_rcv_packets", "multicast_xmit_packets", "port_rcv_data", "port_rcv_packets",
        "port_xmit_data", "port_xmit_packets", "unicast_rcv_packets", "unicast_xmit_packets"}) {
    tree.remove(kPort + "counters/" + name);
  }
  for (const std::string name :
       {"port_multicast_rcv_packets", "port_multicast_xmit_packets", "port_rcv_data_64",
        "port_rcv_packets_64", "port_unicast_rcv_packets", "port_unicast_xmit_packets",
        "port_xmit_data_64", "port_xmit_packets_64"}) {
    tree.write(kPort + "counters_ext/" + name, std::to_string(++value) + "\n");
  }
  check_same(tree);
}

TEST_CASE("One bad file costs node_exporter the host and us one value") {
  test::SampleTree tree("mlx5_ib_ndr");
  const std::size_t whole = of_ours(tree).series.size();
  tree.write("sys/class/infiniband/mlx5_0/ports/1/rate", "fast\n");
  CHECK(of_peer(tree).series.empty());
  CHECK(of_ours(tree).series.size() == whole - 1);
}

}  // namespace
}  // namespace rdmadiag::exporters
