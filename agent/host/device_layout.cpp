#include "agent/host/device_layout.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "agent/core/utf8.h"
#include "agent/host/driver_names.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

constexpr int kNodeTypeRnic = 4;  // RDMA_NODE_RNIC: iWARP
constexpr std::uint32_t kMaxPorts = 254;

std::optional<std::uint32_t> read_hex(ReadSession& session, const std::string& path) {
  const ReadOutcome outcome = session.read_once(path);
  return outcome.ok() ? parse_hex_u32(outcome.text) : std::nullopt;
}

std::optional<int> read_node_type(ReadSession& session, const std::string& directory,
                                  const NetlinkDevice* netlink) {
  if (netlink != nullptr && netlink->node_type) return netlink->node_type;
  const ReadOutcome outcome = session.read_once(directory + "/node_type");
  return outcome.ok() ? parse_numbered_state(outcome.text) : std::nullopt;
}

// Drivers on the auxiliary bus sit on a child of the PCI function.
std::string find_pci_directory(ReadSession& session, const std::string& device) {
  constexpr int kMaxClimb = 6;
  std::filesystem::path directory = device;
  for (int step = 0; step < kMaxClimb && directory.has_relative_path(); ++step) {
    if (session.read_once(directory / "vendor").ok()) return directory;
    directory = directory.parent_path();
  }
  return {};
}

// An auxiliary driver is called module.name.
std::string driver_of_directory(ReadSession& session, const std::string& directory) {
  std::string module =
      std::filesystem::path(session.files().resolve(directory + "/driver")).filename();
  if (module.empty()) {
    const ReadOutcome uevent = session.read_once(directory + "/uevent");
    if (uevent.ok()) module = parse_uevent_driver(uevent.text);
  }
  module.resize(std::min(module.find('.'), module.size()));
  return core::to_utf8(driver_of_module(module));
}

std::string find_driver(ReadSession& session, const std::string& directory,
                        const std::string& device, const DeviceLayout& layout,
                        const NetlinkDevice* netlink) {
  if (!device.empty()) {
    for (const std::string& place : {device, layout.pci_directory}) {
      if (place.empty()) continue;
      if (std::string driver = driver_of_directory(session, place); !driver.empty()) return driver;
    }
    const auto vendor = read_hex(session, layout.pci_directory + "/vendor");
    if (vendor && layout.pci_device_id) {
      return std::string(driver_of_pci_id(*vendor, *layout.pci_device_id));
    }
    return {};
  }
  // Software devices have no device link. Only rxe names its netdev in `parent`; an RNIC without
  // hardware is siw.
  if (session.read_once(directory + "/parent").ok()) return "rxe";
  return read_node_type(session, directory, netlink) == kNodeTypeRnic ? "siw" : "";
}

core::LinkLayer link_layer_of(core::Protocol protocol) {
  switch (protocol) {
    case core::Protocol::kInfiniband:
    case core::Protocol::kOmniPath: return core::LinkLayer::kInfiniband;
    case core::Protocol::kRoce:
    case core::Protocol::kIwarp: return core::LinkLayer::kEthernet;
    case core::Protocol::kUsnic:
    case core::Protocol::kEfa:
    case core::Protocol::kUnknown: return core::LinkLayer::kUnknown;
  }
  return core::LinkLayer::kUnknown;
}

// Netlink's protocol is that of the first port; ports can differ.
core::LinkLayer read_link_layer(ReadSession& session, const std::string& directory,
                                std::uint32_t port, const NetlinkDevice* netlink) {
  const ReadOutcome outcome =
      session.read_once(directory + "/ports/" + std::to_string(port) + "/link_layer");
  if (outcome.ok()) return core::parse_link_layer(trim(outcome.text));
  return netlink != nullptr ? link_layer_of(netlink->protocol) : core::LinkLayer::kUnknown;
}

bool is_wanted(const std::vector<std::string>& link_layers, core::LinkLayer layer, bool iwarp) {
  const auto listed = [&](std::string_view word) {
    return std::find(link_layers.begin(), link_layers.end(), word) != link_layers.end();
  };
  switch (layer) {
    case core::LinkLayer::kInfiniband: return listed("infiniband");
    case core::LinkLayer::kEthernet: return listed(iwarp ? "iwarp" : "ethernet");
    case core::LinkLayer::kUnknown: return true;
  }
  return true;
}

void drop_unwanted_ports(ReadSession& session, const std::string& directory,
                         const CollectOptions& options, const NetlinkDevice* netlink,
                         DeviceLayout& layout) {
  if (options.link_layers.empty() || layout.ports.empty()) return;
  const bool iwarp = read_node_type(session, directory, netlink) == kNodeTypeRnic;
  std::erase_if(layout.ports, [&](std::uint32_t port) {
    return !is_wanted(options.link_layers, read_link_layer(session, directory, port, netlink),
                      iwarp);
  });
  layout.excluded = layout.ports.empty();
}

// Takes the numeric names, as the kernel writes them; others are no ports, and said so.
void take_ports(const std::string& directory, const std::vector<DirectoryEntry>& entries,
                LayoutOutcome& outcome) {
  for (const DirectoryEntry& entry : entries) {
    if (entry.name.starts_with('.')) continue;
    const auto number = parse_counter(entry.name);
    if (number && *number > 0 && *number <= kMaxPorts && std::to_string(*number) == entry.name) {
      outcome.layout.ports.push_back(static_cast<std::uint32_t>(*number));
    } else {
      outcome.issues.push_back({.source = core::Source::kSysfsPort,
                                .path = directory + "/ports/" + entry.name,
                                .reason = core::IssueReason::kParse,
                                .detail = "not a port number"});
    }
  }
  std::sort(outcome.layout.ports.begin(), outcome.layout.ports.end());
}

void take_ports_of_netlink(const NetlinkDevice& netlink, DeviceLayout& layout) {
  for (std::uint32_t port = 1; port <= std::min(netlink.ports, kMaxPorts); ++port) {
    layout.ports.push_back(port);
  }
}

}  // namespace

LayoutOutcome read_layout(ReadSession& session, const std::string& directory,
                          const CollectOptions& options, const NetlinkDevice* netlink) {
  LayoutOutcome outcome;
  DeviceLayout& layout = outcome.layout;
  std::vector<DirectoryEntry> entries;
  const int listed = session.files().list(directory + "/ports", entries);
  layout.in_sysfs = listed == 0 || read_node_type(session, directory, nullptr).has_value();
  if (listed == 0) {
    take_ports(directory, entries, outcome);
  } else if (netlink != nullptr) {
    take_ports_of_netlink(*netlink, layout);
  } else if (!layout.in_sysfs && session.files().list(directory, entries) == 0) {
    layout.excluded = true;
    outcome.issues.push_back({.source = core::Source::kSysfsPort,
                              .path = directory,
                              .reason = core::IssueReason::kOther,
                              .detail = "no RDMA device: neither ports nor node_type"});
    return outcome;
  } else if (listed != -ENOENT || !layout.in_sysfs) {
    outcome.error_number = -listed;
    return outcome;
  }
  const std::string device = session.files().resolve(directory + "/device");
  if (!device.empty()) layout.pci_directory = find_pci_directory(session, device);
  if (!layout.pci_directory.empty()) {
    layout.pci_device_id = read_hex(session, layout.pci_directory + "/device");
  }
  layout.driver = find_driver(session, directory, device, layout, netlink);
  drop_unwanted_ports(session, directory, options, netlink, layout);
  return outcome;
}

}  // namespace rdmadiag::host
