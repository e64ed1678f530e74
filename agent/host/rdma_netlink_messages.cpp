#include "agent/host/rdma_netlink_messages.h"

#include <rdma/rdma_netlink.h>

#include <utility>

namespace rdmadiag::host {
namespace {

// Newer than the header this is built with.
constexpr std::uint16_t kAttrEventType = 102;
constexpr std::uint16_t kAttrSummaryEntryMax = 118;

std::vector<std::byte> to_vector(const PayloadWriter& writer) {
  return {writer.bytes().begin(), writer.bytes().end()};
}

core::Protocol protocol_of(const Attribute& attribute) {
  return core::parse_protocol(attribute.text());
}

std::optional<int> small_int(const Attribute& attribute) {
  const auto value = attribute.u8();
  return value ? std::optional<int>(*value) : std::nullopt;
}

std::optional<core::ResourceCount> decode_resource(Bytes nest, bool& whole) {
  core::ResourceCount count;
  std::optional<std::uint64_t> current;
  whole = walk_attributes(nest, [&](const Attribute& a) {
    switch (a.type) {
      case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME: count.object = a.text(); break;
      case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR: current = a.number(); break;
      case kAttrSummaryEntryMax: count.max = a.number(); break;
    }
    return true;
  });
  if (count.object.empty() || !current) return std::nullopt;
  count.current = *current;
  return count;
}

std::optional<NetlinkCounter> decode_counter(Bytes nest, bool& whole) {
  NetlinkCounter counter;
  bool has_value = false;
  whole = walk_attributes(nest, [&](const Attribute& a) {
    if (a.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME) counter.name = a.text();
    if (a.type == RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE) {
      const auto value = a.number();
      has_value = value.has_value();
      counter.value = value.value_or(0);
    }
    return true;
  });
  if (counter.name.empty() || !has_value) return std::nullopt;
  return counter;
}

std::optional<core::QueuePair> decode_queue_pair(Bytes nest, bool& whole) {
  core::QueuePair qp;
  std::optional<std::uint32_t> number;
  std::optional<int> type;
  std::optional<int> state;
  whole = walk_attributes(nest, [&](const Attribute& a) {
    switch (a.type) {
      case RDMA_NLDEV_ATTR_PORT_INDEX: qp.port = a.u32().value_or(0); break;
      case RDMA_NLDEV_ATTR_RES_LQPN: number = a.u32(); break;
      case RDMA_NLDEV_ATTR_RES_RQPN: qp.remote_qpn = a.u32(); break;
      case RDMA_NLDEV_ATTR_RES_RQ_PSN: qp.rq_psn = a.u32(); break;
      case RDMA_NLDEV_ATTR_RES_SQ_PSN: qp.sq_psn = a.u32(); break;
      case RDMA_NLDEV_ATTR_RES_TYPE: type = small_int(a); break;
      case RDMA_NLDEV_ATTR_RES_STATE: state = small_int(a); break;
      case RDMA_NLDEV_ATTR_RES_PID: qp.pid = a.u32(); break;
      case RDMA_NLDEV_ATTR_RES_KERN_NAME: qp.owner = a.text(); break;
    }
    return true;
  });
  if (!number || !type || !state) return std::nullopt;
  qp.local_qpn = *number;
  qp.type = *type;
  qp.state = *state;
  return qp;
}

// The items of the nest of type `table`, each decoded by `decode`; items without what makes them
// an item are left out.
template <class T, class Decode>
core::Result<std::vector<T>> decode_table(Bytes payload, std::uint16_t table, std::uint16_t entry,
                                          const char* what, Decode&& decode) {
  std::vector<T> items;
  const bool whole = walk_attributes(payload, [&](const Attribute& outer) {
    if (outer.type != table) return true;
    return walk_attributes(outer.payload, [&](const Attribute& inner) {
      if (inner.type != entry) return true;
      bool item_whole = true;
      if (auto item = decode(inner.payload, item_whole)) items.push_back(*std::move(item));
      return item_whole;
    });
  });
  if (!whole) return core::fail(std::string(what) + ": malformed netlink reply");
  return items;
}

}  // namespace

std::vector<std::byte> device_request(std::uint32_t device_index) {
  return to_vector(PayloadWriter().u32(RDMA_NLDEV_ATTR_DEV_INDEX, device_index));
}

std::vector<std::byte> port_request(std::uint32_t device_index, std::uint32_t port) {
  return to_vector(PayloadWriter()
                       .u32(RDMA_NLDEV_ATTR_DEV_INDEX, device_index)
                       .u32(RDMA_NLDEV_ATTR_PORT_INDEX, port));
}

core::Result<NetlinkDevice> decode_device(Bytes payload) {
  NetlinkDevice device;
  std::optional<std::uint32_t> index;
  const bool whole = walk_attributes(payload, [&](const Attribute& a) {
    switch (a.type) {
      case RDMA_NLDEV_ATTR_DEV_INDEX: index = a.u32(); break;
      case RDMA_NLDEV_ATTR_DEV_NAME: device.name = a.text(); break;
      case RDMA_NLDEV_ATTR_PORT_INDEX: device.ports = a.u32().value_or(0); break;
      case RDMA_NLDEV_ATTR_FW_VERSION: device.firmware = a.text(); break;
      case RDMA_NLDEV_ATTR_NODE_GUID: device.node_guid = a.number(); break;
      case RDMA_NLDEV_ATTR_SYS_IMAGE_GUID: device.sys_image_guid = a.number(); break;
      case RDMA_NLDEV_ATTR_DEV_NODE_TYPE: device.node_type = small_int(a); break;
      case RDMA_NLDEV_ATTR_DEV_PROTOCOL: device.protocol = protocol_of(a); break;
    }
    return true;
  });
  if (!whole) return core::fail("GET: malformed netlink reply");
  if (!index || device.name.empty()) return core::fail("GET: netlink reply without a device");
  device.index = *index;
  return device;
}

core::Result<NetlinkPort> decode_port(Bytes payload) {
  NetlinkPort port;
  std::optional<std::uint32_t> number;
  const bool whole = walk_attributes(payload, [&](const Attribute& a) {
    switch (a.type) {
      case RDMA_NLDEV_ATTR_PORT_INDEX: number = a.u32(); break;
      case RDMA_NLDEV_ATTR_PORT_STATE: port.state = small_int(a); break;
      case RDMA_NLDEV_ATTR_PORT_PHYS_STATE: port.physical_state = small_int(a); break;
      case RDMA_NLDEV_ATTR_CAP_FLAGS: port.cap_flags = a.number(); break;
      case RDMA_NLDEV_ATTR_SUBNET_PREFIX: port.subnet_prefix = a.number(); break;
      case RDMA_NLDEV_ATTR_LID: port.lid = a.u32(); break;
      case RDMA_NLDEV_ATTR_SM_LID: port.sm_lid = a.u32(); break;
      case RDMA_NLDEV_ATTR_LMC: port.lid_mask_count = a.u32(); break;
      case RDMA_NLDEV_ATTR_NDEV_INDEX: port.netdev_index = a.u32(); break;
      case RDMA_NLDEV_ATTR_NDEV_NAME: port.netdev = a.text(); break;
    }
    return true;
  });
  if (!whole) return core::fail("PORT_GET: malformed netlink reply");
  if (!number) return core::fail("PORT_GET: netlink reply without a port");
  port.number = *number;
  return port;
}

core::Result<std::vector<core::ResourceCount>> decode_resources(Bytes payload) {
  return decode_table<core::ResourceCount>(payload, RDMA_NLDEV_ATTR_RES_SUMMARY,
                                           RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, "RES_GET",
                                           decode_resource);
}

core::Result<std::vector<NetlinkCounter>> decode_port_statistics(Bytes payload) {
  return decode_table<NetlinkCounter>(payload, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS,
                                      RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY, "STAT_GET",
                                      decode_counter);
}

core::Result<std::vector<core::QueuePair>> decode_queue_pairs(Bytes payload) {
  return decode_table<core::QueuePair>(payload, RDMA_NLDEV_ATTR_RES_QP,
                                       RDMA_NLDEV_ATTR_RES_QP_ENTRY, "RES_QP_GET",
                                       decode_queue_pair);
}

core::Result<bool> decode_netns_shared(Bytes payload) {
  std::optional<std::uint8_t> mode;
  const bool whole = walk_attributes(payload, [&](const Attribute& a) {
    if (a.type == RDMA_NLDEV_SYS_ATTR_NETNS_MODE) mode = a.u8();
    return true;
  });
  if (!whole) return core::fail("SYS_GET: malformed netlink reply");
  if (!mode) return core::fail("SYS_GET: netlink reply without a namespace mode");
  return *mode != 0;
}

core::Result<RdmaEvent> decode_event(Bytes payload) {
  RdmaEvent event;
  const bool whole = walk_attributes(payload, [&](const Attribute& a) {
    switch (a.type) {
      case kAttrEventType: {
        const auto kind = a.u8().value_or(static_cast<std::uint8_t>(RdmaEventKind::kOther));
        if (kind < static_cast<std::uint8_t>(RdmaEventKind::kOther))
          event.kind = static_cast<RdmaEventKind>(kind);
        break;
      }
      case RDMA_NLDEV_ATTR_DEV_INDEX: event.device_index = a.u32(); break;
      case RDMA_NLDEV_ATTR_DEV_NAME: event.device = a.text(); break;
      case RDMA_NLDEV_ATTR_PORT_INDEX: event.port = a.u32(); break;
      case RDMA_NLDEV_ATTR_NDEV_NAME: event.netdev = a.text(); break;
    }
    return true;
  });
  if (!whole) return core::fail("MONITOR: malformed netlink message");
  return event;
}

}  // namespace rdmadiag::host
