#include "agent/daemon/change_log.h"

#include <catch2/catch.hpp>

namespace rdmadiag::daemon {
namespace {

using core::DeviceEntry;
using core::HostSnapshot;
using Lines = std::vector<std::string>;

Lines changes(const HostSnapshot* before, const HostSnapshot& now) {
  Lines lines;
  for (const ChangeLine& line : describe_changes(before, now))
    lines.push_back(core::format_logfmt(line.level, line.message, line.fields));
  return lines;
}

DeviceEntry device(const std::string& name, int state = core::kPortStateActive) {
  auto snapshot = std::make_shared<core::DeviceSnapshot>();
  snapshot->name = name;
  core::PortSnapshot port;
  port.number = 1;
  port.state = state;
  port.physical_state = state == core::kPortStateActive ? core::kPhysStateLinkUp : 3;
  snapshot->ports.push_back(port);
  DeviceEntry entry;
  entry.name = name;
  entry.sources = {{.source = core::Source::kSysfsPort, .success = true, .last_success = {}}};
  entry.snapshot = std::move(snapshot);
  return entry;
}

HostSnapshot host(std::vector<DeviceEntry> devices) {
  HostSnapshot snapshot;
  snapshot.devices = std::move(devices);
  return snapshot;
}

TEST_CASE("what stays as it is gives no line") {
  const HostSnapshot same = host({device("a")});
  CHECK(changes(nullptr, same).empty());
  CHECK(changes(&same, same).empty());
  const HostSnapshot empty;
  CHECK(changes(nullptr, empty).empty());
}

TEST_CASE("devices that come and go are said once") {
  const HostSnapshot none;
  const HostSnapshot one = host({device("a")});
  CHECK(changes(&none, one) == Lines{"level=info device=a msg=\"device appeared\""});
  HostSnapshot vanished = one;
  vanished.devices[0].present = false;
  vanished.devices[0].snapshot = nullptr;
  CHECK(changes(&one, vanished) == Lines{"level=warn device=a msg=\"device is gone\""});
  CHECK(changes(&vanished, vanished).empty());
  CHECK(changes(&vanished, none).empty());
  CHECK(changes(&vanished, one) == Lines{"level=info device=a msg=\"device appeared\""});
  CHECK(changes(&one, none) == Lines{"level=warn device=a msg=\"device is gone\""});
}

TEST_CASE("a device that hangs and answers again is said once each way") {
  const HostSnapshot fine = host({device("a")});
  HostSnapshot stuck = fine;
  stuck.devices[0].stuck = true;
  stuck.devices[0].snapshot = nullptr;
  stuck.devices[0].sources[0].success = false;
  const Lines hangs = {"level=warn device=a msg=\"device does not answer\""};
  CHECK(changes(&fine, stuck) == hangs);
  CHECK(changes(nullptr, stuck) == hangs);
  CHECK(changes(&stuck, stuck).empty());
  CHECK(changes(&stuck, fine) == Lines{"level=info device=a msg=\"device answers again\""});
}

TEST_CASE("a port's change of state is said with both states, a loss as a warning") {
  const HostSnapshot up = host({device("a")});
  const HostSnapshot down = host({device("a", 1)});
  CHECK(changes(&up, down) ==
        Lines{"level=warn device=a port=1 from=ACTIVE/LinkUp to=DOWN/Disabled "
              "msg=\"port changed its state\""});
  CHECK(changes(&down, up) ==
        Lines{"level=info device=a port=1 from=DOWN/Disabled to=ACTIVE/LinkUp "
              "msg=\"port changed its state\""});
}

TEST_CASE("sources that fail and recover are said with their device") {
  const HostSnapshot fine = host({device("a")});
  HostSnapshot failing = fine;
  failing.devices[0].sources[0].success = false;
  const Lines failed = {"level=warn source=sysfs_port device=a msg=\"source cannot be read\""};
  CHECK(changes(&fine, failing) == failed);
  CHECK(changes(nullptr, failing) == failed);
  CHECK(changes(&failing, failing).empty());
  CHECK(changes(&failing, fine) ==
        Lines{"level=info source=sysfs_port device=a msg=\"source is read again\""});
  HostSnapshot discovery = fine;
  discovery.sources = {
      {.source = core::Source::kRdmaNetlink, .success = false, .last_success = {}}};
  CHECK(changes(&fine, discovery) ==
        Lines{"level=warn source=rdma_netlink msg=\"source cannot be read\""});
}

std::vector<core::PortStatus> changed(std::optional<std::uint64_t> count) {
  core::PortStatus port;
  port.device = "a";
  port.port = 1;
  port.state_changes = count;
  return {port};
}

TEST_CASE("a port that went and came back between two reads is said, a single change is not") {
  CHECK(describe_flaps(changed(3), changed(3)).empty());
  CHECK(describe_flaps(changed(3), changed(4)).empty());  // seen in the state itself
  CHECK(describe_flaps(changed(3), changed(1)).empty());  // a device replaced
  CHECK(describe_flaps(changed({}), changed(9)).empty());
  CHECK(describe_flaps({}, changed(9)).empty());
  const auto lines = describe_flaps(changed(3), changed(5));
  REQUIRE(lines.size() == 1);
  CHECK(core::format_logfmt(lines[0].level, lines[0].message, lines[0].fields) ==
        "level=warn device=a port=1 changes=2 msg=\"port changed its state between two reads\"");
}

core::HealthReporter reporter(int state, std::uint64_t errors, std::uint64_t recoveries) {
  core::HealthReporter reporter;
  reporter.name = "fw";
  reporter.handle = "pci/0000:3b:00.0";
  reporter.state = state;
  reporter.errors = errors;
  reporter.recoveries = recoveries;
  return reporter;
}

std::string health(const core::HealthReporter* before, const core::HealthReporter& now) {
  const auto line = describe_health(before, now);
  return line ? std::string(line->level == core::LogLevel::kWarn ? "warn: " : "info: ") +
                    line->message
              : "";
}

TEST_CASE("health reporters are logged as they fail and recover") {
  const auto well = reporter(0, 0, 0);
  const auto ill = reporter(1, 1, 0);
  const auto again = reporter(1, 2, 0);
  const auto mended = reporter(0, 1, 1);
  CHECK(health(nullptr, well).empty());
  CHECK(health(&well, well).empty());
  CHECK(health(nullptr, ill) == "warn: health reporter is in error");
  CHECK(health(&well, ill) == "warn: health reporter is in error");
  CHECK(health(&ill, ill).empty());
  CHECK(health(&ill, again) == "warn: health reporter is in error");
  CHECK(health(&ill, mended) == "info: health reporter has recovered");
  CHECK(health(&well, mended) == "warn: health reporter had an error and recovered");
  CHECK(health(&mended, mended).empty());
}

}  // namespace
}  // namespace rdmadiag::daemon
