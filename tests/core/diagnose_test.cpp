#include "agent/core/diagnose/diagnose.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <string>

#include "agent/core/diagnose/rules.h"
#include "tests/core/diagnose_builder.h"

using namespace rdmadiag::core;

TEST_CASE("a healthy device gives no finding and exit code 0") {
  TwoLooks healthy;
  const Diagnosis diagnosis = healthy.diagnose();
  CHECK(diagnosis.findings.empty());
  CHECK(diagnosis.exit_code() == 0);
}

TEST_CASE("every rule has an id of its own and says what to do") {
  std::set<std::string_view> ids;
  for (const Rule& rule : all_rules()) {
    INFO(rule.id);
    CHECK(ids.insert(rule.id).second);
    CHECK_FALSE(rule.title.empty());
    CHECK_FALSE(rule.meaning.empty());
    CHECK_FALSE(rule.next_step.empty());
  }
  CHECK(find_rule("no-such-rule") == nullptr);
}

TEST_CASE("every rule has a runbook with causes and commands") {
  for (const Rule& rule : all_rules()) {
    const std::string path =
        std::string(RDMADIAG_SOURCE_DIR) + "/docs/runbooks/" + std::string(rule.id) + ".md";
    INFO(path);
    std::ifstream file(path);
    REQUIRE(file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text.find("\n1. ") != std::string::npos);
    CHECK(text.find("```\n") != std::string::npos);
  }
}

TEST_CASE("the worst finding comes first") {
  TwoLooks bad;
  bad.now.pcie.current_width_lanes = 8;
  bad.port_now().state = 1;
  bad.port_now().physical_state = 2;
  const Diagnosis diagnosis = bad.diagnose();
  REQUIRE(diagnosis.findings.size() >= 2);
  CHECK(diagnosis.findings.front().rule == "link-down");
  CHECK(diagnosis.exit_code() == 2);
}

TEST_CASE("a port that is not active is down, switched off, or waits for a subnet manager") {
  TwoLooks polling;
  polling.port_now().state = 1;
  polling.port_now().physical_state = 2;
  const Diagnosis down = polling.diagnose();
  REQUIRE(find(down, "link-down") != nullptr);
  CHECK(find(down, "link-down")->severity == FindingSeverity::kCritical);
  CHECK(find(down, "link-down")->found == "state DOWN, physical state Polling");

  TwoLooks disabled;
  disabled.port_now().state = 1;
  disabled.port_now().physical_state = 3;
  const Diagnosis off = disabled.diagnose();
  REQUIRE(find(off, "link-down") != nullptr);
  CHECK(find(off, "link-down")->severity == FindingSeverity::kInfo);

  TwoLooks init;
  init.port_now().link_layer = LinkLayer::kInfiniband;
  init.port_now().state = 2;
  CHECK(find(init.diagnose(), "link-initialising") != nullptr);

  TwoLooks unknown;
  unknown.port_now().state.reset();
  CHECK(find_unknown(unknown.diagnose(), "link-down") != nullptr);
}

TEST_CASE("a rate is judged against the configuration, else against history") {
  TwoLooks slow;
  slow.port_now().rate = PortRate{100e9, 2, "HDR"};
  CHECK(find_unknown(slow.diagnose(), "link-degraded") != nullptr);

  slow.highest_rates[{"mlx5_0", 1}] = 200e9;
  const Diagnosis by_history = slow.diagnose();
  REQUIRE(find(by_history, "link-degraded") != nullptr);
  CHECK(find(by_history, "link-degraded")->found == "100 Gb/s (2X)");
  CHECK(find(by_history, "link-degraded")->expected == "200 Gb/s, the highest seen since start");

  slow.expect.rate_bits_per_second = 100e9;
  CHECK(find(slow.diagnose(), "link-degraded") == nullptr);
  slow.expect.rate_bits_per_second = 101e9;
  CHECK(find(slow.diagnose(), "link-degraded") != nullptr);
}

TEST_CASE("a saturated error counter hides errors, a saturated wait counter hides a rate") {
  TwoLooks stuck;
  stuck.count("rdma_port_symbol_errors_total", 65535, 65535);
  const Diagnosis diagnosis = stuck.diagnose();
  REQUIRE(find(diagnosis, "counter-saturated") != nullptr);
  CHECK(find(diagnosis, "counter-saturated")->severity == FindingSeverity::kWarning);

  TwoLooks waiting;
  waiting.count("rdma_port_tx_wait_ticks_total", 4294967295, 4294967295);
  const Diagnosis waits = waiting.diagnose();
  REQUIRE(find(waits, "counter-saturated") != nullptr);
  CHECK(find(waits, "counter-saturated")->severity == FindingSeverity::kInfo);

  TwoLooks below;
  below.count("rdma_port_symbol_errors_total", 65534, 65534);
  CHECK(find(below.diagnose(), "counter-saturated") == nullptr);
}

TEST_CASE("PCIe below its maximum and rising errors are found") {
  TwoLooks narrow;
  narrow.now.pcie.current_width_lanes = 8;
  const Diagnosis half = narrow.diagnose();
  REQUIRE(find(half, "pcie-degraded") != nullptr);
  CHECK(find(half, "pcie-degraded")->found == "x8 at 32 GT/s");
  CHECK(find(half, "pcie-degraded")->expected == "x16 at 32 GT/s");

  TwoLooks slow;
  slow.now.pcie.current_speed_transfers_per_second = 16e9;
  CHECK(find(slow.diagnose(), "pcie-degraded") != nullptr);

  TwoLooks unreadable;
  unreadable.now.pcie.max_width_lanes.reset();
  CHECK(find_unknown(unreadable.diagnose(), "pcie-degraded") != nullptr);

  TwoLooks correctable;
  correctable.now.pcie.aer_correctable = 1;
  REQUIRE(find(correctable.diagnose(), "pcie-errors") != nullptr);
  CHECK(find(correctable.diagnose(), "pcie-errors")->severity == FindingSeverity::kWarning);

  TwoLooks fatal;
  fatal.now.pcie.aer_fatal = 1;
  CHECK(find(fatal.diagnose(), "pcie-errors")->severity == FindingSeverity::kCritical);

  TwoLooks old_errors;
  old_errors.before.pcie.aer_correctable = 56;
  old_errors.now.pcie.aer_correctable = 56;
  CHECK(find(old_errors.diagnose(), "pcie-errors") == nullptr);
}

TEST_CASE("queue pairs in ERR or SQE are named with their owner") {
  TwoLooks broken;
  QueuePair qp;
  qp.state = 6;
  qp.pid = 4711;
  qp.owner = "trainer";
  broken.now.queue_pairs->push_back(qp);
  qp.state = 3;
  broken.now.queue_pairs->push_back(qp);
  const Diagnosis diagnosis = broken.diagnose();
  REQUIRE(find(diagnosis, "queue-pair-error") != nullptr);
  CHECK(find(diagnosis, "queue-pair-error")->found == "1 of 2, 1 of trainer (pid 4711)");

  TwoLooks not_asked;
  not_asked.now.queue_pairs.reset();
  CHECK(find_unknown(not_asked.diagnose(), "queue-pair-error") != nullptr);
}

TEST_CASE("objects close to the limit are found where the kernel tells it") {
  TwoLooks full;
  full.now.resources.push_back({.object = "qp", .current = 90, .max = 100});
  CHECK(find(full.diagnose(), "queue-resources") != nullptr);

  TwoLooks below;
  below.now.resources.push_back({.object = "qp", .current = 89, .max = 100});
  CHECK(find(below.diagnose(), "queue-resources") == nullptr);

  TwoLooks no_limit;
  no_limit.now.resources.push_back({.object = "qp", .current = 90, .max = {}});
  CHECK(find_unknown(no_limit.diagnose(), "queue-resources") != nullptr);
}

TEST_CASE("a RoCE port wants a routable RoCE v2 address and a large MTU") {
  TwoLooks v1_only;
  v1_only.port_now().gids.front().type = GidType::kRoceV1;
  CHECK(find(v1_only.diagnose(), "address-no-gid") != nullptr);

  TwoLooks silent;
  silent.port_now().gids.front().type = GidType::kUnknown;
  CHECK(find(silent.diagnose(), "address-no-gid") == nullptr);
  CHECK(find_unknown(silent.diagnose(), "address-no-gid") != nullptr);

  TwoLooks elsewhere;  // a virtual function that was given away
  elsewhere.port_now().gids.clear();
  CHECK(find(elsewhere.diagnose(), "address-no-gid") != nullptr);
  elsewhere.port_now().netdev.clear();
  CHECK(find(elsewhere.diagnose(), "address-no-gid") == nullptr);
  CHECK(find_unknown(elsewhere.diagnose(), "address-no-gid") != nullptr);

  TwoLooks local;
  local.port_now().gids.front().gid = {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  CHECK(find(local.diagnose(), "address-link-local") != nullptr);

  TwoLooks small;
  small.now.netdevs.front().mtu_bytes = 4199;
  CHECK(find(small.diagnose(), "mtu-small") != nullptr);
  small.now.netdevs.front().mtu_bytes = 4200;
  CHECK(find(small.diagnose(), "mtu-small") == nullptr);
  small.now.netdevs.front().mtu_bytes.reset();
  CHECK(find_unknown(small.diagnose(), "mtu-small") != nullptr);

  TwoLooks infiniband;
  infiniband.now.protocol = Protocol::kInfiniband;
  infiniband.port_now().gids.clear();
  CHECK(find(infiniband.diagnose(), "address-no-gid") == nullptr);
}

TEST_CASE("a stuck device is critical and hides nothing else") {
  TwoLooks two;
  static_cast<void>(two.diagnose());
  DeviceEntry stuck;
  stuck.name = "mlx5_1";
  stuck.stuck = true;
  two.host_now.devices.push_back(stuck);
  const Diagnosis diagnosis = diagnose(
      {.now = &two.host_now, .before = &two.host_before, .expect = {}, .highest_rates = nullptr});
  REQUIRE(find(diagnosis, "device-stuck") != nullptr);
  CHECK(find(diagnosis, "device-stuck")->subject.device == "mlx5_1");
  CHECK(diagnosis.exit_code() == 2);
}

TEST_CASE("the inventory is compared with what is expected") {
  TwoLooks host;
  host.expect.devices = 1;
  host.expect.link_layer = LinkLayer::kEthernet;
  host.expect.firmware = "28.39.*";
  CHECK(host.diagnose().findings.empty());

  host.expect.devices = 2;
  host.expect.link_layer = LinkLayer::kInfiniband;
  host.expect.firmware = "28.40.*";
  const Diagnosis diagnosis = host.diagnose();
  REQUIRE(find(diagnosis, "inventory-devices") != nullptr);
  CHECK(find(diagnosis, "inventory-devices")->found == "1 RDMA devices");
  CHECK(find(diagnosis, "inventory-link-layer") != nullptr);
  CHECK(find(diagnosis, "inventory-firmware") != nullptr);
}

TEST_CASE("equal devices with different firmware are told") {
  TwoLooks two;
  static_cast<void>(two.diagnose());
  DeviceSnapshot other = two.now;
  other.name = "mlx5_1";
  other.firmware = "28.40.1000";
  DeviceEntry entry;
  entry.name = other.name;
  entry.snapshot = std::make_shared<const DeviceSnapshot>(other);
  two.host_now.devices.push_back(entry);
  const Diagnosis diagnosis =
      diagnose({.now = &two.host_now, .before = nullptr, .expect = {}, .highest_rates = nullptr});
  REQUIRE(find(diagnosis, "firmware-differs") != nullptr);
  CHECK(find(diagnosis, "firmware-differs")->found == "28.39.1002 on mlx5_0; 28.40.1000 on mlx5_1");
}

TEST_CASE("what cannot be read is told, what a driver does not have is not") {
  TwoLooks looks;
  looks.now.issues = {{.source = Source::kEthtool,
                       .path = "ethtool eth2: MODULE_EEPROM_GET",
                       .reason = IssueReason::kEopnotsupp,
                       .detail = ""}};
  CHECK(find(looks.diagnose(), "read-failures") == nullptr);
  looks.now.issues.push_back({.source = Source::kDevlink,
                              .path = "devlink pci/0000:3b:00.0",
                              .reason = IssueReason::kEperm,
                              .detail = ""});
  const Diagnosis diagnosis = looks.diagnose();
  REQUIRE(find(diagnosis, "read-failures") != nullptr);
  CHECK(find(diagnosis, "read-failures")->found ==
        "1 not readable, first devlink pci/0000:3b:00.0 (eperm)");
}
