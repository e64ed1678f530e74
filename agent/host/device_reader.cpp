#include "agent/host/device_reader.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/counter_source.h"
#include "agent/host/netdev.h"
#include "agent/host/netlink_device_source.h"
#include "agent/host/pcie.h"
#include "agent/host/port_source.h"

namespace rdmadiag::host {

using core::Source;

DeviceReader::DeviceReader(std::string name, DeviceSetup setup)
    : name_(std::move(name)),
      setup_(std::move(setup)),
      directory_((setup_.roots.sys / "class/infiniband" / name_).string()),
      session_(std::make_shared<ReadSession>(setup_.files, setup_.clock, setup_.budget)) {}

DeviceRead DeviceReader::read(const DeviceRequest& request) {
  session_->begin();
  const bool changed = !layout_ || request.netlink != netlink_device_;
  if ((changed || request.refresh) && !list(request)) {
    layout_.reset();
    return finish(blank());
  }
  if (layout_->excluded) {
    DeviceRead result;
    result.excluded = true;
    result.issues = issues_.take();
    return result;
  }
  core::DeviceSnapshot device = blank();
  for (Entry& entry : sources_) read_source(entry, device);
  DeviceRead result = finish(std::move(device));
  if (result.vanished) layout_.reset();
  return result;
}

bool DeviceReader::list(const DeviceRequest& request) {
  progress_ = Source::kSysfsPort;
  issues_.forget_standing();
  LayoutOutcome outcome = read_layout(*session_, directory_, setup_.options,
                                      request.netlink ? &*request.netlink : nullptr);
  {
    const StandingIssues standing(issues_);
    for (core::ReadIssue& issue : outcome.issues) issues_.add(std::move(issue));
  }
  if (outcome.error_number != 0) {
    issues_.add_errno(Source::kSysfsPort, directory_ + "/ports", outcome.error_number);
    if (outcome.error_number == ENOENT || outcome.error_number == ENODEV) session_->note_vanished();
    return false;
  }
  const bool same = layout_ == outcome.layout && netlink_device_ == request.netlink;
  layout_ = std::move(outcome.layout);
  netlink_device_ = request.netlink;
  if (same) {
    for (Entry& entry : sources_) entry.source->refresh();
  } else if (!layout_->excluded) {
    make_sources(request);
  }
  return true;
}

void DeviceReader::make_sources(const DeviceRequest& request) {
  std::vector<Entry> old = std::exchange(sources_, {});
  DeviceContext context;
  context.roots = setup_.roots;
  context.options = setup_.options;
  context.session = session_;
  context.netlink = setup_.netlink;
  context.kernel = request.kernel;
  context.name = name_;
  context.directory = directory_;
  context.driver = layout_->driver;
  context.pci_directory = layout_->pci_directory;
  context.pci_device_id = layout_->pci_device_id;
  context.netlink_device = request.netlink;
  context.ports = layout_->ports;
  // Netlink first: it costs the driver least. The rest fills what it has left empty.
  add_source(make_netlink_device_source(context));
  if (layout_->in_sysfs) {
    add_source(make_port_source(context));
    add_source(make_port_counter_source(context));
    add_source(make_hw_counter_source(context));
    add_source(make_pcie_source(context));
  }
  add_source(make_netdev_source(context));
  for (const DeviceSourceFactory& make : setup_.more_sources) add_source(make(context));
  for (Entry& entry : sources_) {
    const auto before = std::find_if(old.begin(), old.end(), [&](const Entry& other) {
      return other.status.source == entry.status.source;
    });
    if (before != old.end()) entry.status = before->status;
  }
}

void DeviceReader::add_source(std::unique_ptr<DeviceSource> source) {
  if (!source || setup_.options.is_disabled(source->source())) return;
  Entry entry;
  entry.status.source = source->source();
  entry.source = std::move(source);
  sources_.push_back(std::move(entry));
}

void DeviceReader::read_source(Entry& entry, core::DeviceSnapshot& device) {
  core::SourceStatus& status = entry.status;
  progress_.store(status.source, std::memory_order_relaxed);
  const core::SteadyTime started = setup_.clock->steady();
  try {
    status.success = entry.source->read(device, issues_);
  } catch (const std::exception& error) {
    status.success = false;
    issues_.add(
        {.source = status.source, .path = directory_, .detail = core::to_utf8(error.what())});
  }
  status.duration = setup_.clock->steady() - started;
  if (status.success) status.last_success = setup_.clock->system();
}

core::DeviceSnapshot DeviceReader::blank() const {
  core::DeviceSnapshot device;
  device.name = core::to_utf8(name_);
  if (!layout_) return device;
  device.driver = layout_->driver;
  device.ports.resize(layout_->ports.size());
  for (std::size_t i = 0; i < layout_->ports.size(); ++i) {
    device.ports[i].number = layout_->ports[i];
  }
  return device;
}

DeviceRead DeviceReader::finish(core::DeviceSnapshot device) {
  device.sources.reserve(sources_.size());
  for (Entry& entry : sources_) {
    if (!layout_) entry.status.success = false;
    entry.status.errors = issues_.counts(entry.status.source);
    device.sources.push_back(entry.status);
  }
  if (sources_.empty()) {
    core::SourceStatus status;
    status.errors = issues_.counts(status.source);
    device.sources.push_back(status);
  }
  device.issues = issues_.take();
  device.read_steady = setup_.clock->steady();
  device.read_at = setup_.clock->system();
  DeviceRead result;
  result.vanished = session_->vanished();
  result.snapshot = std::make_shared<const core::DeviceSnapshot>(std::move(device));
  return result;
}

}  // namespace rdmadiag::host
