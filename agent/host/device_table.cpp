#include "agent/host/device_table.h"

#include <algorithm>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

// Tells a renamed device from a new one. Subfunctions share the PCI address, ports of one card the
// system image: only both together name a device. Empty when there is nothing to go by.
std::string identity_of(const core::DeviceSnapshot& device) {
  const bool has_guid = parse_guid(device.node_guid).value_or(0) != 0;
  if (device.pcie.address.empty() && !has_guid) return {};
  return device.pcie.address + "/" + (has_guid ? device.node_guid : std::string());
}

// Another device under the same name: the driver was reloaded or the card changed.
bool is_another(const FoundDevice& before, const FoundDevice& now) {
  if (before.in_sysfs && now.in_sysfs && before.inode != now.inode) return true;
  return before.netlink && now.netlink && before.netlink->index != now.netlink->index;
}

const FoundDevice* find_in(const Listing& listing, const std::string& name) {
  const auto found = std::find_if(listing.devices.begin(), listing.devices.end(),
                                  [&](const FoundDevice& device) { return device.name == name; });
  return found == listing.devices.end() ? nullptr : &*found;
}

}  // namespace

DeviceTable::DeviceTable(DeviceSetup setup) : setup_(std::move(setup)) {}

DeviceTable::~DeviceTable() = default;

void DeviceTable::renew(Device& device) {
  device.reader = std::make_shared<DeviceReader>(device.found.name, setup_);
  device.worker = std::make_unique<DeviceWorker>(
      [reader = device.reader](const DeviceRequest& request) { return reader->read(request); });
  device.stuck = false;
  device.asked = false;
  device.is_new = true;
  device.excluded = false;
  device.read = {};
}

void DeviceTable::apply(const Listing& listing) {
  for (auto& [name, device] : devices_) update(device, find_in(listing, name), listing);
  for (const FoundDevice& found : listing.devices) {
    const auto [entry, added] = devices_.try_emplace(found.name);
    if (!added) continue;
    entry->second.found = found;
    renew(entry->second);
  }
}

void DeviceTable::update(Device& device, const FoundDevice* found, const Listing& listing) {
  FoundDevice now = device.found;
  if (listing.sysfs_complete) {
    now.in_sysfs = found != nullptr && found->in_sysfs;
    if (now.in_sysfs) now.inode = found->inode;
  }
  if (listing.netlink_complete) {
    now.netlink = found != nullptr ? found->netlink : std::nullopt;
  }
  const bool present = now.in_sysfs || now.netlink;
  const bool another = is_another(device.found, now);
  device.found = std::move(now);
  if (!present) {
    if (device.present) device.gone_at = setup_.clock->steady();
    device.present = false;
    device.stuck = false;
    device.asked = false;
    device.read = {};
    device.worker.reset();
    device.reader.reset();
    return;
  }
  if (!device.present || another) renew(device);
  device.present = true;
}

void DeviceTable::start(std::optional<KernelRelease> kernel, bool refresh) {
  for (auto& [name, device] : devices_) {
    if (!device.present || (device.excluded && !refresh)) continue;
    ask(device, kernel, refresh);
  }
}

void DeviceTable::start_new(std::optional<KernelRelease> kernel) {
  for (auto& [name, device] : devices_) {
    if (device.present && device.is_new) ask(device, kernel, true);
  }
}

void DeviceTable::ask(Device& device, const std::optional<KernelRelease>& kernel, bool refresh) {
  device.read = {};
  device.is_new = false;
  device.asked = device.worker->start({refresh, device.found.netlink, kernel});
  // Still busy with an earlier request: no use in waiting for it again.
  if (!device.asked) mark_stuck(device);
}

bool DeviceTable::wait(core::SteadyTime deadline) {
  bool vanished = false;
  for (auto& [name, device] : devices_) {
    if (!device.asked) continue;
    device.asked = false;
    if (auto read = device.worker->wait_until(deadline)) {
      vanished |= read->vanished;
      take(device, std::move(*read));
    } else {
      mark_stuck(device);
    }
  }
  return vanished;
}

void DeviceTable::take(Device& device, DeviceRead read) {
  device.stuck = false;
  device.excluded = read.excluded;
  device.read = std::move(read);
  if (!device.read.snapshot) return;
  const core::DeviceSnapshot& snapshot = *device.read.snapshot;
  device.read_steady = snapshot.read_steady;
  device.sources = snapshot.sources;
  device.ports.clear();
  for (const core::PortSnapshot& port : snapshot.ports) device.ports.push_back(port.number);
  device.identity = identity_of(snapshot);
}

void DeviceTable::mark_stuck(Device& device) {
  device.stuck = true;
  device.read = {};
  const core::Source source = device.reader->progress();
  ++device.timeouts[static_cast<std::size_t>(source)];
  const bool known = std::any_of(device.sources.begin(), device.sources.end(),
                                 [&](const auto& status) { return status.source == source; });
  if (known) return;
  core::SourceStatus status;
  status.source = source;
  device.sources.push_back(status);
}

void DeviceTable::finish(core::SteadyTime deadline) {
  for (auto& [name, device] : devices_) {
    if (device.worker) device.worker->stop();
  }
  for (auto& [name, device] : devices_) {
    if (device.worker) device.worker->finish(deadline);
  }
}

bool DeviceTable::was_renamed(const Device& gone) const {
  if (gone.identity.empty()) return false;
  return std::any_of(devices_.begin(), devices_.end(), [&](const auto& entry) {
    return entry.second.present && entry.second.identity == gone.identity;
  });
}

void DeviceTable::drop_departed() {
  const core::SteadyTime now = setup_.clock->steady();
  std::erase_if(devices_, [&](const auto& entry) {
    const Device& device = entry.second;
    if (device.present) return false;
    return device.excluded || now - device.gone_at >= setup_.options.vanished_grace ||
           was_renamed(device);
  });
}

core::DeviceEntry DeviceTable::entry_of(const Device& device) const {
  core::DeviceEntry entry;
  entry.name = core::to_utf8(device.found.name);
  entry.present = device.present;
  entry.stuck = device.stuck;
  entry.snapshot = device.read.snapshot;
  if (device.read_steady) entry.age = setup_.clock->steady() - *device.read_steady;
  entry.sources = device.sources;
  for (core::SourceStatus& status : entry.sources) {
    if (!entry.snapshot) status.success = false;
    status.errors[static_cast<std::size_t>(core::IssueReason::kTimeout)] +=
        device.timeouts[static_cast<std::size_t>(status.source)];
  }
  entry.known_ports = device.ports;
  return entry;
}

void DeviceTable::report(core::HostSnapshot& host) {
  drop_departed();
  for (auto& [name, device] : devices_) {
    if (device.excluded) {
      host.issues.insert(host.issues.end(), device.read.issues.begin(), device.read.issues.end());
    } else {
      host.devices.push_back(entry_of(device));
    }
  }
}

}  // namespace rdmadiag::host
