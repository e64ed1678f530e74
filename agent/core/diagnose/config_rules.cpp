// Addressing, host and inventory: what is set up wrong rather than what goes wrong.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <map>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

// Then address-no-ip says why there is no routable GID.
bool lacks_address(const PortView& port) {
  const NetdevSnapshot* netdev = port.device->now->find_netdev(port.now->netdev);
  return netdev != nullptr && netdev->addresses && !has_usable_address(*netdev);
}

void check_gids(const PortView& port, Report& report) {
  if (port.device->now->protocol != Protocol::kRoce || !port.now->is_active()) return;
  const auto& gids = port.now->gids;
  if (gids.empty() && port.now->netdev.empty()) {
    report.could_not_tell("address-no-gid", port.subject(),
                          "no netdev of it is in this network namespace");
    return;
  }
  const auto any_of_type = [&](GidType type) {
    return std::any_of(gids.begin(), gids.end(),
                       [&](const GidEntry& entry) { return entry.type == type; });
  };
  const bool any = any_of_type(GidType::kRoceV2);
  if (!any && any_of_type(GidType::kUnknown)) {
    report.could_not_tell("address-no-gid", port.subject(), "the driver tells no types of GIDs");
    return;
  }
  const auto found = fmt::format("{} GIDs, none of them usable", port.now->gids.size());
  if (!any) {
    report.add("address-no-gid", port.subject(), found, "a RoCE v2 GID");
  } else if (!has_routable_gid(*port.now) && !lacks_address(port)) {
    report.add("address-link-local", port.subject(), "only link-local RoCE v2 GIDs",
               "an IPv4 or global IPv6 address");
  }
}

void check_mtu(const PortView& port, Report& report) {
  constexpr int kEnoughForRdma4096 = 4200;
  if (port.device->now->protocol != Protocol::kRoce || !port.now->is_active()) return;
  const NetdevSnapshot* netdev = port.device->now->find_netdev(port.now->netdev);
  if (netdev == nullptr || !netdev->mtu_bytes) {
    report.could_not_tell("mtu-small", port.subject(), "the netdev's MTU is not known");
    return;
  }
  if (*netdev->mtu_bytes >= kEnoughForRdma4096) return;
  report.add("mtu-small", port.subject(), fmt::format("netdev MTU {}", *netdev->mtu_bytes),
             fmt::format("{} or more", kEnoughForRdma4096));
}

// Devices are of one kind when driver and model are the same.
void check_firmware_spread(const Comparison& seen, Report& report) {
  std::map<std::pair<std::string, std::string>, std::map<std::string, std::string>> kinds;
  for (const DeviceView& device : seen.devices()) {
    const DeviceSnapshot& now = *device.now;
    if (now.firmware.empty() || now.driver.empty()) continue;
    std::string& names = kinds[{now.driver, now.hca_type + now.board_id}][now.firmware];
    names += (names.empty() ? "" : ", ") + now.name;
  }
  for (const auto& [kind, versions] : kinds) {
    if (versions.size() < 2) continue;
    std::string found;
    for (const auto& [version, names] : versions) {
      found += (found.empty() ? "" : "; ") + version + " on " + names;
    }
    report.add("firmware-differs", Subject{}, std::move(found), "one version");
  }
}

void check_health(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    for (const HealthReporter& reporter : device.now->health) {
      if (reporter.state.value_or(0) == 0) continue;
      report.add("device-unhealthy", device.subject(),
                 fmt::format("reporter {} of {} is in error ({} errors, {} recoveries)",
                             reporter.name, reporter.handle, reporter.errors.value_or(0),
                             reporter.recoveries.value_or(0)),
                 "healthy");
    }
  }
}

void check_devices_answer(const Comparison& seen, Report& report) {
  for (const DeviceEntry& entry : seen.evidence.now->devices) {
    const Subject subject{.device = entry.name, .port = 0, .netdev = ""};
    if (entry.stuck) {
      report.add("device-stuck", subject, "the read did not return", "an answer in time");
    }
    if (!entry.snapshot) continue;
    // What a driver does not have is no failure: the rules that want it say so.
    const auto& issues = entry.snapshot->issues;
    const auto failed = [](const ReadIssue& i) { return i.reason != IssueReason::kEopnotsupp; };
    const auto unreadable = std::count_if(issues.begin(), issues.end(), failed);
    if (unreadable == 0) continue;
    const auto first = std::find_if(issues.begin(), issues.end(), failed);
    report.add("read-failures", subject,
               fmt::format("{} not readable, first {} ({})", unreadable, first->path,
                           reason_name(first->reason)),
               "all readable");
  }
}

}  // namespace

void check_addressing(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    for (const PortView& port : device.ports) {
      check_gids(port, report);
      check_mtu(port, report);
    }
  }
}

void check_host(const Comparison& seen, Report& report) {
  check_devices_answer(seen, report);
  check_health(seen, report);
  check_firmware_spread(seen, report);
}

void check_inventory(const Comparison& seen, Report& report) {
  const Expectations& expect = seen.evidence.expect;
  const auto present =
      std::count_if(seen.evidence.now->devices.begin(), seen.evidence.now->devices.end(),
                    [](const DeviceEntry& entry) { return entry.present; });
  if (expect.devices && present != *expect.devices) {
    report.add("inventory-devices", Subject{}, fmt::format("{} RDMA devices", present),
               fmt::format("{}", *expect.devices));
  }
  for (const DeviceView& device : seen.devices()) {
    if (!expect.firmware.empty() &&
        ::fnmatch(expect.firmware.c_str(), device.now->firmware.c_str(), 0) != 0) {
      report.add("inventory-firmware", device.subject(),
                 device.now->firmware.empty() ? "no version" : device.now->firmware,
                 expect.firmware);
    }
    if (!expect.link_layer) continue;
    for (const PortView& port : device.ports) {
      if (port.now->link_layer == *expect.link_layer) continue;
      report.add("inventory-link-layer", port.subject(),
                 std::string(link_layer_name(port.now->link_layer)),
                 std::string(link_layer_name(*expect.link_layer)));
    }
  }
}

}  // namespace rdmadiag::core
