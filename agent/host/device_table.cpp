#include "agent/host/device_table.h"

#include <algorithm>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

// A device with a thread of its own joins the others again after so many quick reads in a row.
constexpr unsigned kQuickReads = 16;

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

DeviceTable::DeviceTable(DeviceSetup setup, std::chrono::nanoseconds patience)
    : setup_(std::move(setup)), patience_(patience) {}

DeviceTable::~DeviceTable() = default;

void DeviceTable::renew(Device& device) {
  device.reader = std::make_shared<DeviceReader>(device.found.name, setup_);
  device.own_lane.reset();
  device.batch.reset();
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
    device.own_lane.reset();
    device.batch.reset();
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
  start_turn();
}

void DeviceTable::start_new(std::optional<KernelRelease> kernel) {
  for (auto& [name, device] : devices_) {
    if (device.present && device.is_new) ask(device, kernel, true);
  }
  start_turn();
}

void DeviceTable::ask(Device& device, const std::optional<KernelRelease>& kernel, bool refresh) {
  device.read = {};
  device.is_new = false;
  ReadingJob job{device.reader, {refresh, device.found.netlink, kernel}};
  if (device.own_lane && device.quick_reads >= kQuickReads && !device.own_lane->busy())
    device.own_lane.reset();
  if (device.own_lane) {
    ask_alone(device, std::move(job));
  } else {
    device.asked = true;
    in_turn_.push_back(&device);
    next_turn_.push_back(std::move(job));
  }
}

void DeviceTable::ask_alone(Device& device, ReadingJob job) {
  auto batch = std::make_shared<ReadingBatch>(std::vector<ReadingJob>{std::move(job)});
  device.asked = device.own_lane->start(batch);
  // Still busy with an earlier request: no use in waiting for it again.
  if (!device.asked) return mark_stuck(device);
  device.batch = std::move(batch);
  device.job = 0;
}

void DeviceTable::start_turn() {
  if (next_turn_.empty()) return;
  turn_ = std::make_shared<ReadingBatch>(std::exchange(next_turn_, {}));
  if (!shared_lane_) shared_lane_ = make_reading_lane();
  shared_lane_->start(turn_);
}

bool DeviceTable::is_done_by(core::SteadyTime until) {
  const bool any_alone = std::ranges::any_of(
      devices_, [](const auto& entry) { return entry.second.own_lane && entry.second.asked; });
  return !any_alone && (!turn_ || shared_lane_->idle_by(until));
}

bool DeviceTable::wait(core::SteadyTime deadline) {
  wait_for_turn(deadline);
  for (auto& [name, device] : devices_) {
    if (device.asked) wait_alone(device, deadline);
  }
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const auto& entry) { return entry.second.read.vanished; });
}

void DeviceTable::wait_for_turn(core::SteadyTime deadline) {
  if (!turn_) return;
  const std::shared_ptr<ReadingBatch> batch = std::exchange(turn_, nullptr);
  // Half of the time is kept for those that still have to be read when something is slow.
  const auto left = std::max(deadline - core::SystemClock().steady(), core::SteadyTime::duration());
  const auto patience = std::min<core::SteadyTime::duration>(patience_, left / 4);
  const auto limit =
      deadline - left + std::min<core::SteadyTime::duration>(4 * patience_, left / 2);
  const BatchEnd end = wait_for_batch(*shared_lane_, *batch, limit, patience);
  if (end != BatchEnd::kDone) scatter(batch, end);
  for (std::size_t i = 0; i < in_turn_.size(); ++i) {
    Device& device = *in_turn_[i];
    if (device.own_lane) continue;
    device.asked = false;
    if (auto result = batch->take(i)) take(device, std::move(result->read));
  }
  in_turn_.clear();
}

// The thread stays with the read it is at; what it has not begun is begun by others.
void DeviceTable::scatter(const std::shared_ptr<ReadingBatch>& batch, BatchEnd why) {
  std::vector<ReadingJob> rest = batch->call_off();
  const std::size_t begun = in_turn_.size() - rest.size();
  if (begun > 0) {
    Device& slow = *in_turn_[begun - 1];
    slow.own_lane = std::move(shared_lane_);
    slow.batch = batch;
    slow.job = begun - 1;
    slow.quick_reads = 0;
  }
  shared_lane_.reset();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    Device& device = *in_turn_[begun + i];
    // Where nobody in particular was slow, reading in turn is.
    device.quick_reads = why == BatchEnd::kHeldUp ? kQuickReads - 1 : 0;
    device.own_lane = make_reading_lane();
    ask_alone(device, std::move(rest[i]));
  }
}

void DeviceTable::wait_alone(Device& device, core::SteadyTime deadline) {
  device.asked = false;
  const std::shared_ptr<ReadingBatch> batch = std::exchange(device.batch, nullptr);
  const bool done = device.own_lane->wait_until(deadline).has_value();
  auto result = done ? batch->take(device.job) : std::nullopt;
  const bool quick = result && result->took < patience_ / 2;
  device.quick_reads = quick ? device.quick_reads + 1 : 0;
  if (!result) return mark_stuck(device);
  take(device, std::move(result->read));
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
  std::vector<ReadingLane*> lanes;
  if (shared_lane_) lanes.push_back(shared_lane_.get());
  for (auto& [name, device] : devices_) {
    if (device.own_lane) lanes.push_back(device.own_lane.get());
  }
  for (ReadingLane* lane : lanes) lane->stop();
  for (ReadingLane* lane : lanes) lane->finish(deadline);
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
