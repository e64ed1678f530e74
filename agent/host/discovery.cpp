#include "agent/host/discovery.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

FoundDevice& entry_of(Listing& listing, const std::string& name) {
  const auto found = std::find_if(listing.devices.begin(), listing.devices.end(),
                                  [&](const FoundDevice& device) { return device.name == name; });
  if (found != listing.devices.end()) return *found;
  FoundDevice& device = listing.devices.emplace_back();
  device.name = name;
  return device;
}

}  // namespace

Discovery::Discovery(const DeviceSetup& setup)
    : roots_(setup.roots),
      filter_(setup.options),
      netlink_(setup.options.is_disabled(Source::kRdmaNetlink) ? nullptr : setup.netlink),
      session_(setup.files, setup.clock, setup.budget) {
  sysfs_status_.source = Source::kSysfsPort;
  netlink_status_.source = Source::kRdmaNetlink;
}

Listing Discovery::list() {
  session_.begin();
  Listing listing;
  read_host(listing);
  list_sysfs(listing);
  if (netlink_) list_netlink(listing);
  std::sort(listing.devices.begin(), listing.devices.end(),
            [](const FoundDevice& a, const FoundDevice& b) { return a.name < b.name; });
  listing.issues = issues_.take();
  return listing;
}

void Discovery::list_sysfs(Listing& listing) {
  const core::SteadyTime started = session_.clock().steady();
  const std::string path = (roots_.sys / "class/infiniband").string();
  std::vector<DirectoryEntry> entries;
  std::string failed = path;
  int error_number = -session_.files().list(path, entries);
  listing.has_rdma_class = error_number == 0;
  // Without the class there is no RDMA; without any class this is no sysfs, and nothing is known.
  if (error_number == ENOENT) {
    failed = (roots_.sys / "class").string();
    std::vector<DirectoryEntry> root;
    error_number = -session_.files().list(failed, root);
  }
  listing.sysfs_complete = error_number == 0;
  if (error_number != 0) issues_.add_errno(Source::kSysfsPort, failed, error_number);
  for (const DirectoryEntry& entry : entries) take_entry(entry, listing);
  sysfs_status_.success = listing.sysfs_complete;
  sysfs_status_.duration = session_.clock().steady() - started;
  sysfs_status_.errors = issues_.counts(Source::kSysfsPort);
  if (sysfs_status_.success) sysfs_status_.last_success = session_.clock().system();
  listing.sources.push_back(sysfs_status_);
}

void Discovery::take_entry(const DirectoryEntry& entry, Listing& listing) {
  if (entry.name.starts_with('.') || !filter_.passes(entry.name)) return;
  const std::string path = (roots_.sys / "class/infiniband" / entry.name).string();
  if (entry.kind == DirectoryEntry::Kind::kFile) {
    issues_.add({.source = Source::kSysfsPort,
                 .path = path,
                 .reason = core::IssueReason::kOther,
                 .error_number = ENOTDIR,
                 .detail = "a plain file, no device"});
    return;
  }
  if (entry.kind == DirectoryEntry::Kind::kLink && session_.files().resolve(path).empty()) {
    issues_.add({.source = Source::kSysfsPort,
                 .path = path,
                 .reason = core::IssueReason::kEnoent,
                 .error_number = ENOENT,
                 .detail = "dangling link: the whole of sysfs must be mounted, not class alone"});
    return;
  }
  FoundDevice& device = entry_of(listing, entry.name);
  device.in_sysfs = true;
  device.inode = entry.inode;
}

void Discovery::list_netlink(Listing& listing) {
  const core::SteadyTime started = session_.clock().steady();
  auto devices = netlink_->list_devices();
  listing.netlink_complete = devices.has_value();
  if (devices) {
    for (NetlinkDevice& device : *devices) {
      if (filter_.passes(device.name)) entry_of(listing, device.name).netlink = std::move(device);
    }
    if (const auto shared = netlink_->netns_shared()) listing.netns_shared = *shared;
    netlink_status_.last_success = session_.clock().system();
  } else {
    const int error_number = devices.error().code.value();
    issues_.add({.source = Source::kRdmaNetlink,
                 .path = "netlink:GET",
                 .reason = core::classify_errno(error_number),
                 .error_number = error_number,
                 .detail = core::to_utf8(devices.error().what)});
  }
  netlink_status_.success = listing.netlink_complete;
  netlink_status_.duration = session_.clock().steady() - started;
  netlink_status_.errors = issues_.counts(Source::kRdmaNetlink);
  listing.sources.push_back(netlink_status_);
}

void Discovery::read_host(Listing& listing) {
  const auto text_of = [this](const char* path) {
    const ReadOutcome outcome = session_.read_once((roots_.proc / path).string());
    return outcome.ok() ? core::to_utf8(trim(outcome.text)) : std::string();
  };
  listing.hostname = text_of("sys/kernel/hostname");
  listing.kernel_release = text_of("sys/kernel/osrelease");
  const auto modules = roots_.sys / "module";
  const auto is_loaded = [&](const char* name) {
    return !session_.files().resolve((modules / name).string()).empty();
  };
  if (session_.files().resolve(modules.string()).empty()) return;
  listing.gpu.emplace();
  if (is_loaded("nvidia")) listing.gpu->driver = "nvidia";
  for (const char* name : {"nvidia_peermem", "nv_peer_mem"})
    if (is_loaded(name)) listing.gpu->peer_memory = name;
}

}  // namespace rdmadiag::host
