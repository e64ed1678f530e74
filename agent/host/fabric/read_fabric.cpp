#include "agent/host/fabric/read_fabric.h"

#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "agent/core/enums.h"
#include "agent/host/fabric/port_info.h"

namespace rdmadiag::host {
namespace {

constexpr std::uint32_t kExtendedSpeeds = 1u << 14;  // PortInfo CapabilityMask
constexpr std::uint32_t kExtendedWidth = 1u << 9;    // PerfMgt ClassPortInfo CapabilityMask

struct FabricCloser {
  void operator()(ibnd_fabric_t* fabric) const { ibnd_destroy_fabric(fabric); }
};
using FabricHandle = std::unique_ptr<ibnd_fabric_t, FabricCloser>;

struct PortCloser {
  void operator()(ibmad_port* port) const { mad_rpc_close_port(port); }
};
using MadPort = std::unique_ptr<ibmad_port, PortCloser>;

std::uint32_t field(std::uint8_t* buffer, MAD_FIELDS name) {
  return mad_get_field(buffer, 0, name);
}

core::FabricPort port_of(ibnd_port_t& from) {
  core::FabricPort port;
  port.number = from.portnum;
  port.state = static_cast<int>(field(from.info, IB_PORT_STATE_F));
  port.physical_state = static_cast<int>(field(from.info, IB_PORT_PHYS_STATE_F));
  port.lid = from.base_lid;
  const bool extended = (field(from.info, IB_PORT_CAPMASK_F) & kExtendedSpeeds) != 0;
  const auto extended_field = [&](MAD_FIELDS name) {
    return extended ? field(from.info, name) : 0;
  };
  port.active = {width_lanes(field(from.info, IB_PORT_LINK_WIDTH_ACTIVE_F)),
                 lane_rate(field(from.info, IB_PORT_LINK_SPEED_ACTIVE_F),
                           extended_field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F))};
  port.supported = {width_lanes(field(from.info, IB_PORT_LINK_WIDTH_SUPPORTED_F)),
                    lane_rate(field(from.info, IB_PORT_LINK_SPEED_SUPPORTED_F),
                              extended_field(IB_PORT_LINK_SPEED_EXT_SUPPORTED_F))};
  if (from.remoteport != nullptr) {
    port.neighbour_guid = from.remoteport->node->guid;
    port.neighbour_port = from.remoteport->portnum;
  }
  return port;
}

// The extended-speed capability of a switch stands in its port 0, not in its external ports.
void inherit_capabilities(ibnd_node_t& node) {
  ibnd_port_t* first = node.numports > 0 ? node.ports[0] : nullptr;
  if (node.type != IB_NODE_SWITCH || first == nullptr) return;
  const std::uint32_t capabilities = field(first->info, IB_PORT_CAPMASK_F);
  for (int number = 1; number <= node.numports; ++number) {
    if (node.ports[number] == nullptr) continue;
    mad_set_field(node.ports[number]->info, 0, IB_PORT_CAPMASK_F, capabilities);
  }
}

constexpr std::array<std::pair<MAD_FIELDS, const char*>, 14> kBasicCounters = {{
    {IB_PC_ERR_SYM_F, "symbol_error"},
    {IB_PC_LINK_RECOVERS_F, "link_error_recovery"},
    {IB_PC_LINK_DOWNED_F, "link_downed"},
    {IB_PC_ERR_RCV_F, "port_rcv_errors"},
    {IB_PC_ERR_PHYSRCV_F, "port_rcv_remote_physical_errors"},
    {IB_PC_ERR_SWITCH_REL_F, "port_rcv_switch_relay_errors"},
    {IB_PC_XMT_DISCARDS_F, "port_xmit_discards"},
    {IB_PC_ERR_XMTCONSTR_F, "port_xmit_constraint_errors"},
    {IB_PC_ERR_RCVCONSTR_F, "port_rcv_constraint_errors"},
    {IB_PC_ERR_LOCALINTEG_F, "local_link_integrity_errors"},
    {IB_PC_ERR_EXCESS_OVR_F, "excessive_buffer_overrun_errors"},
    {IB_PC_VL15_DROPPED_F, "VL15_dropped"},
    {IB_PC_XMT_PKTS_F, "port_xmit_packets"},
    {IB_PC_RCV_PKTS_F, "port_rcv_packets"},
}};
constexpr std::uint64_t kOctetsInAWord = 4;

class CounterReader {
 public:
  CounterReader(ibmad_port* mad, unsigned timeout) : mad_(mad), timeout_(timeout) {}

  void read(std::uint32_t lid, core::FabricPort& port) {
    if (lid == 0) {
      port.unread = "no LID: a subnet manager must assign one";
      return;
    }
    std::array<std::uint8_t, 1024> buffer{};
    if (!query(lid, port.number, IB_GSI_PORT_COUNTERS, buffer.data())) {
      port.unread = "no answer from the performance agent";
      return;
    }
    for (const auto& [name, file] : kBasicCounters)
      port.counters[file] = field(buffer.data(), name);
    port.counters["port_xmit_bytes"] = field(buffer.data(), IB_PC_XMT_BYTES_F) * kOctetsInAWord;
    port.counters["port_rcv_bytes"] = field(buffer.data(), IB_PC_RCV_BYTES_F) * kOctetsInAWord;
    if (has_extended(lid)) read_extended(lid, port);
  }

 private:
  bool query(std::uint32_t lid, int port, unsigned attribute, std::uint8_t* buffer) {
    ib_portid_t to{};
    ib_portid_set(&to, static_cast<int>(lid), 0, 0);
    return pma_query_via(buffer, &to, port, timeout_, attribute, mad_) != nullptr;
  }

  // Asked once for each node: all ports of a switch have its LID.
  bool has_extended(std::uint32_t lid) {
    if (lid == last_lid_) return last_extended_;
    std::array<std::uint8_t, 1024> buffer{};
    last_lid_ = lid;
    last_extended_ = query(lid, 0, CLASS_PORT_INFO, buffer.data()) &&
                     (field(buffer.data(), IB_CPI_CAPMASK_F) & kExtendedWidth) != 0;
    return last_extended_;
  }

  void read_extended(std::uint32_t lid, core::FabricPort& port) {
    std::array<std::uint8_t, 1024> buffer{};
    if (!query(lid, port.number, IB_GSI_PORT_COUNTERS_EXT, buffer.data())) return;
    const auto wide = [&](MAD_FIELDS name) { return mad_get_field64(buffer.data(), 0, name); };
    port.counters["port_xmit_bytes"] = wide(IB_PC_EXT_XMT_BYTES_F) * kOctetsInAWord;
    port.counters["port_rcv_bytes"] = wide(IB_PC_EXT_RCV_BYTES_F) * kOctetsInAWord;
    port.counters["port_xmit_packets"] = wide(IB_PC_EXT_XMT_PKTS_F);
    port.counters["port_rcv_packets"] = wide(IB_PC_EXT_RCV_PKTS_F);
  }

  ibmad_port* mad_;
  unsigned timeout_;
  std::uint32_t last_lid_ = 0;
  bool last_extended_ = false;
};

core::FabricNode node_of(ibnd_node_t& from) {
  inherit_capabilities(from);
  core::FabricNode node;
  node.guid = from.guid;
  node.is_switch = from.type == IB_NODE_SWITCH;
  node.description.assign(from.nodedesc, strnlen(from.nodedesc, sizeof from.nodedesc));
  for (int number = 0; number <= from.numports; ++number) {
    if (from.ports[number] != nullptr) node.ports.push_back(port_of(*from.ports[number]));
  }
  return node;
}

bool is_linked(const core::FabricPort& port) {
  return port.number != 0 && port.physical_state == core::kPhysStateLinkUp;
}

// What comes from libibnetdisc and libibmad goes to stderr in their own words; ours is enough.
void quiet_libraries() {
  ibdebug = 0;
  madrpc_show_errors(0);
}

}  // namespace

core::Result<core::Fabric> read_fabric(const FabricOptions& options, const core::Clock& clock) {
  quiet_libraries();
  if (umad_init() < 0) return core::errno_error(errno, "opening the umad devices");
  std::string device = options.device;
  char* name = device.empty() ? nullptr : device.data();

  ibnd_config_t config{};
  config.timeout_ms = static_cast<unsigned>(options.mad_timeout.count());
  config.retries = 1;
  config.max_smps = 16;
  errno = 0;
  const FabricHandle found(ibnd_discover_fabric(name, options.port, nullptr, &config));
  if (!found) {
    return core::errno_error(errno != 0 ? errno : EIO,
                             "discovering the InfiniBand subnet (is a port ACTIVE, and may you "
                             "open /dev/infiniband/umad*?)");
  }
  std::array<int, 3> classes = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS, IB_PERFORMANCE_CLASS};
  const MadPort mad(mad_rpc_open_port(name, options.port, classes.data(), classes.size()));
  if (!mad) return core::errno_error(errno, "opening a umad port for performance queries");
  mad_rpc_set_retries(mad.get(), 2);
  mad_rpc_set_timeout(mad.get(), static_cast<int>(options.mad_timeout.count()));

  core::Fabric fabric;
  CounterReader counters(mad.get(), static_cast<unsigned>(options.mad_timeout.count()));
  const core::SteadyTime deadline = clock.steady() + options.deadline;
  for (ibnd_node_t* from = found->nodes; from != nullptr; from = from->next) {
    core::FabricNode node = node_of(*from);
    for (core::FabricPort& port : node.ports) {
      if (!is_linked(port)) continue;
      if (clock.steady() >= deadline) {
        port.unread = "time ran out";
      } else {
        counters.read(node.is_switch ? from->smalid : port.lid, port);
      }
      if (!port.unread.empty()) {
        fabric.missing.push_back(core::fabric_port_name(node, port) + ": " + port.unread);
      }
    }
    fabric.nodes.push_back(std::move(node));
  }
  std::sort(fabric.nodes.begin(), fabric.nodes.end(), [](const auto& a, const auto& b) {
    return std::tie(b.is_switch, a.description, a.guid) <
           std::tie(a.is_switch, b.description, b.guid);
  });
  return fabric;
}

}  // namespace rdmadiag::host
