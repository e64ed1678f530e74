#include "probes/verbs/device.h"

#include <endian.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

namespace rdmadiag::probes {
namespace {

constexpr std::uint32_t kVendorMellanox = 0x02c9;
constexpr std::uint32_t kVendorHuawei = 0x19e5;
// The kernel takes the answer's size as 16 bits and gives 32 to each entry; more is EINVAL.
constexpr std::size_t kMaxGids = 2047;

class DeviceList {
 public:
  DeviceList() : devices_(ibv_get_device_list(&count_)), error_(devices_ ? 0 : errno) {}
  ~DeviceList() {
    if (devices_ != nullptr) ibv_free_device_list(devices_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] std::span<ibv_device*> devices() const {
    return {devices_, static_cast<std::size_t>(std::max(count_, 0))};
  }

 private:
  int count_ = 0;
  ibv_device** devices_;
  int error_;
};

bool usable_guid(std::string_view guid) { return !guid.empty() && guid != "0000:0000:0000:0000"; }

ibv_device* find(std::span<ibv_device*> devices, const DeviceIdentity& identity) {
  const auto named = [&](ibv_device* device) {
    return identity.name == ibv_get_device_name(device);
  };
  const auto same_guid = [&](ibv_device* device) {
    return identity.node_guid == format_guid(ibv_get_device_guid(device));
  };
  if (usable_guid(identity.node_guid)) {
    // Ports of one adapter may be devices with one GUID: then the name tells them apart.
    const auto both = std::ranges::find_if(
        devices, [&](ibv_device* device) { return named(device) && same_guid(device); });
    if (both != devices.end()) return *both;
    const auto renamed = std::ranges::find_if(devices, same_guid);
    return renamed == devices.end() ? nullptr : *renamed;
  }
  const auto found = std::ranges::find_if(devices, named);
  return found == devices.end() ? nullptr : *found;
}

int mtu_bytes(ibv_mtu mtu) { return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0; }

core::LinkLayer link_layer(std::uint8_t value) {
  if (value == IBV_LINK_LAYER_ETHERNET) return core::LinkLayer::kEthernet;
  // Drivers older than the field say unspecified on InfiniBand.
  return core::LinkLayer::kInfiniband;
}

core::GidType gid_type(std::uint32_t value) {
  switch (value) {
    case IBV_GID_TYPE_IB: return core::GidType::kIb;
    case IBV_GID_TYPE_ROCE_V1: return core::GidType::kRoceV1;
    case IBV_GID_TYPE_ROCE_V2: return core::GidType::kRoceV2;
    default: return core::GidType::kUnknown;
  }
}

void record_port(const ibv_async_event& event, std::uint8_t port, PortChange change,
                 DeviceEvents& events) {
  if (event.element.port_num == port) events.port_changes.push_back(change);
}

// Changes of LID, GIDs and keys wake the reader, who looks at the port after every event.
void record(const ibv_async_event& event, std::uint8_t port, DeviceEvents& events) {
  switch (static_cast<int>(event.event_type)) {
    case IBV_EVENT_DEVICE_FATAL: events.fatal = true; break;
    case IBV_EVENT_PORT_ACTIVE: record_port(event, port, PortChange::kUp, events); break;
    case IBV_EVENT_PORT_ERR: record_port(event, port, PortChange::kDown, events); break;
    case IBV_EVENT_CQ_ERR: events.queue_broken = true; break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR: events.broken_qps.push_back(event.element.qp->qp_num); break;
    default: break;
  }
}

}  // namespace

std::string format_guid(std::uint64_t network_order) {
  const std::uint64_t guid = be64toh(network_order);
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%04x:%04x:%04x:%04x", static_cast<unsigned>(guid >> 48),
                static_cast<unsigned>(guid >> 32 & 0xffff),
                static_cast<unsigned>(guid >> 16 & 0xffff), static_cast<unsigned>(guid & 0xffff));
  return text.data();
}

core::Result<Device> Device::open(const DeviceIdentity& identity) {
  const DeviceList list;
  if (list.error() != 0) return core::errno_error(list.error(), "listing RDMA devices");
  ibv_device* found = find(list.devices(), identity);
  if (found == nullptr) return core::errno_error(ENODEV, "opening " + identity.name);
  Device device;
  if (auto prepared = device.prepare(found); !prepared) {
    return tl::make_unexpected(std::move(prepared.error()));
  }
  return device;
}

core::Status Device::prepare(ibv_device* device) {
  name_ = ibv_get_device_name(device);
  node_guid_ = format_guid(ibv_get_device_guid(device));
  node_ = DeviceNode(*device);
  context_.reset(ibv_open_device(device));
  if (!context_) return core::errno_error(errno, "opening " + name_);
  iwarp_ = device->transport_type == IBV_TRANSPORT_IWARP;
  const int flags = ::fcntl(context_->async_fd, F_GETFL);
  if (flags < 0 || ::fcntl(context_->async_fd, F_SETFL, flags | O_NONBLOCK) < 0) {
    return core::errno_error(errno, "making the events of " + name_ + " non-blocking");
  }
  query_capabilities();
  return {};
}

void Device::query_capabilities() {
  ibv_device_attr_ex attributes{};
  if (ibv_query_device_ex(context_.get(), nullptr, &attributes) != 0) return;
  clock_ = {.mask = attributes.completion_timestamp_mask, .kilohertz = attributes.hca_core_clock};
  const std::uint32_t vendor = attributes.orig_attr.vendor_id;
  label_sets_port_ = vendor == kVendorMellanox || vendor == kVendorHuawei;
  const int reads =
      std::min(attributes.orig_attr.max_qp_rd_atom, attributes.orig_attr.max_qp_init_rd_atom);
  reads_in_flight_ = static_cast<std::uint8_t>(std::clamp(reads, 1, 255));
}

core::Protocol Device::protocol(const PortInfo& port) const {
  if (iwarp_) return core::Protocol::kIwarp;
  return port.link_layer == core::LinkLayer::kEthernet ? core::Protocol::kRoce
                                                       : core::Protocol::kInfiniband;
}

core::Result<PortInfo> Device::query_port(std::uint8_t port) const {
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context_.get(), port, &attributes); error != 0) {
    return core::errno_error(error, "querying port " + std::to_string(port) + " of " + name_);
  }
  return PortInfo{.state = attributes.state,
                  .link_layer = link_layer(attributes.link_layer),
                  .lid = attributes.lid,
                  .sm_lid = attributes.sm_lid,
                  .active_mtu_bytes = mtu_bytes(attributes.active_mtu),
                  .gid_table_length = attributes.gid_tbl_len};
}

core::Result<std::vector<core::GidEntry>> Device::gids(std::uint8_t port) const {
  std::vector<ibv_gid_entry> entries(kMaxGids);
  const ssize_t count = ibv_query_gid_table(context_.get(), entries.data(), entries.size(), 0);
  if (count < 0) {
    return core::errno_error(static_cast<int>(-count), "reading the GID table of " + name_);
  }
  entries.resize(static_cast<std::size_t>(count));
  std::vector<core::GidEntry> gids;
  for (const ibv_gid_entry& entry : entries) {
    if (entry.port_num != port) continue;
    core::GidEntry gid{.index = static_cast<int>(entry.gid_index),
                       .gid = {},
                       .type = gid_type(entry.gid_type),
                       .netdev = {}};
    std::memcpy(gid.gid.data(), entry.gid.raw, gid.gid.size());
    gids.push_back(std::move(gid));
  }
  return gids;
}

DeviceEvents Device::take_events(std::uint8_t port) const {
  DeviceEvents events;
  ibv_async_event event{};
  while (ibv_get_async_event(context_.get(), &event) == 0) {
    record(event, port, events);
    ibv_ack_async_event(&event);
  }
  return events;
}

}  // namespace rdmadiag::probes
