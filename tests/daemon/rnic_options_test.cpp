#include "agent/daemon/rnic_options.h"

#include <catch2/catch.hpp>

using namespace rdmadiag;
using namespace std::chrono_literals;

namespace {

core::DeviceSnapshot device() {
  core::DeviceSnapshot device;
  device.name = "mlx5_1";
  device.node_guid = "0c42:a103:0065:1d7e";
  return device;
}

}  // namespace

TEST_CASE("an RNIC's options come from the configuration") {
  config::Config config;
  config.labels = {{"leaf", "l1"}, {"rail", "9"}, {"pod", "p"}};
  config.rails = {{"mlx5_1", "1"}};
  config.probes.ud.dscp = 26;
  config.probes.ud.labels = 4;
  config.probes.ud.timeout = 200ms;
  config.probes.rc.interval = 2s;
  config.probes.rc.connections = 3;
  config.probes.rc.op = config::RcOperation::kRead;
  const auto options = daemon::make_rnic_options(config, "node1", 77, device(), 2);
  CHECK(options.host == "node1");
  CHECK(options.device.node_guid == "0c42:a103:0065:1d7e");
  CHECK(options.port == 2);
  CHECK(options.leaf == "l1");
  CHECK(options.rail == "1");
  CHECK(options.pod == "p");
  CHECK(options.datagrams.epoch == 77);
  CHECK(options.datagrams.traffic_class == 26 << 2);
  CHECK(options.datagrams.labels == 4);
  CHECK(options.datagrams.limits.timeout == 200ms);
  CHECK(options.datagrams.max_rate == 200);
  CHECK(options.connections.nic == "node1/mlx5_1/2");
  CHECK(options.connections.epoch == 77);
  CHECK(options.connections.interval == 2s);
  CHECK(options.connections.max_connections == 3);
  CHECK(options.connections.operation == probes::RcOperation::kRead);
  CHECK(options.acceptor.epoch == 77);
  CHECK(options.acceptor.one_sided);
}

TEST_CASE("iWARP is known before the device is opened, another port's protocol is not") {
  core::DeviceSnapshot known = device();
  known.protocol = core::Protocol::kIwarp;
  CHECK(daemon::make_rnic_options({}, "n", 1, known, 1).protocol == core::Protocol::kIwarp);
  known.protocol = core::Protocol::kInfiniband;
  CHECK(daemon::make_rnic_options({}, "n", 1, known, 2).protocol == core::Protocol::kUnknown);
}

TEST_CASE("the host's rail is every device's that has none of its own; RC can be off") {
  config::Config config;
  config.labels = {{"rail", "9"}};
  config.probes.rc.enabled = false;
  const auto options = daemon::make_rnic_options(config, "node1", 77, device(), 1);
  CHECK(options.rail == "9");
  CHECK(options.connections.nic == "node1/mlx5_1");
  CHECK(options.connections.max_connections == 0);
  CHECK(options.acceptor.max_connections == 0);
  CHECK_FALSE(options.acceptor.one_sided);
}
