#include "agent/core/diagnose/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agent/core/changes.h"
#include "agent/core/gid.h"

namespace rdmadiag::core {
namespace {

// A name may be given to another card between two looks.
bool is_same_card(const DeviceSnapshot& a, const DeviceSnapshot& b) {
  return a.node_guid == b.node_guid && a.pcie.address == b.pcie.address;
}

void add_ports(DeviceView& device) {
  for (const PortSnapshot& port : device.now->ports) {
    PortView& view = device.ports.emplace_back();
    view.device = &device;
    view.now = &port;
    view.before = find_port(device.before, port.number);
  }
}

}  // namespace

Subject PortView::subject() const {
  return {.device = device->now->name, .port = now->number, .netdev = now->netdev};
}

Comparison::Comparison(const Evidence& seen) : evidence(seen) {
  devices_.reserve(evidence.now->devices.size());  // none moves: ports point at them
  for (const DeviceEntry& entry : evidence.now->devices) {
    if (!entry.snapshot) continue;
    DeviceView& view = devices_.emplace_back();
    view.now = entry.snapshot.get();
    const DeviceSnapshot* before =
        evidence.before ? find_device(*evidence.before, entry.name) : nullptr;
    if (before != nullptr && before != view.now && is_same_card(*before, *view.now)) {
      const std::chrono::duration<double> apart = view.now->read_steady - before->read_steady;
      if (apart.count() > 0) {
        view.before = before;
        view.seconds = apart.count();
      }
    }
    add_ports(view);
  }
}

std::vector<const NetdevSnapshot*> netdevs_of(const PortView& port) {
  std::vector<const NetdevSnapshot*> found;
  const DeviceSnapshot& device = *port.device->now;
  const NetdevSnapshot* netdev = device.find_netdev(port.now->netdev);
  if (netdev == nullptr) return found;
  if (!netdev->is_bond) {
    if (!netdev->is_vf) found.push_back(netdev);
    return found;
  }
  for (const std::string& name : netdev->bond_members) {
    const NetdevSnapshot* member = device.find_netdev(name);
    if (member != nullptr && !member->is_vf) found.push_back(member);
  }
  return found;
}

bool has_usable_address(const NetdevSnapshot& netdev) {
  if (!netdev.addresses) return false;
  return std::any_of(netdev.addresses->begin(), netdev.addresses->end(), [](const std::string& a) {
    return !a.starts_with("fe80:") && !a.starts_with("169.254.");
  });
}

bool has_routable_gid(const PortSnapshot& port) {
  return std::any_of(port.gids.begin(), port.gids.end(), [](const GidEntry& entry) {
    return entry.type == GidType::kRoceV2 && !is_link_local(entry.gid);
  });
}

std::string number_text(double value) {
  if (std::abs(value - std::round(value)) < 1e-9 && std::abs(value) < 1e15) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{:.3g}", value);
}

std::string rate_text(double bits_per_second) {
  return number_text(bits_per_second / 1e9) + " Gb/s";
}

}  // namespace rdmadiag::core
