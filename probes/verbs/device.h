// An open RDMA device and what its ports and GID tables say. Every verbs object made from it must
// be gone before it is closed. A device may be opened several times; each user has its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/enums.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/tick.h"
#include "probes/verbs/device_node.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

// Names may change; the node GUID stays. Empty or all zero (some VFs): the name decides.
struct DeviceIdentity {
  std::string name;
  std::string node_guid;  // "0c42:a103:0065:1d7e"
};

struct PortInfo {
  int state = 0;
  core::LinkLayer link_layer = core::LinkLayer::kUnknown;
  std::uint16_t lid = 0;
  std::uint16_t sm_lid = 0;
  int active_mtu_bytes = 0;
  int gid_table_length = 0;

  [[nodiscard]] bool is_active() const { return state == core::kPortStateActive; }
};

enum class PortChange { kDown, kUp };

// What happened to the device and one of its ports since the last look.
struct DeviceEvents {
  bool fatal = false;                     // everything of this context is dead
  std::vector<PortChange> port_changes;   // in their order
  bool queue_broken = false;              // a CQ overflowed
  std::vector<std::uint32_t> broken_qps;  // by number
};

class Device {
 public:
  [[nodiscard]] static core::Result<Device> open(const DeviceIdentity& identity);

  [[nodiscard]] ibv_context* context() const { return context_.get(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& node_guid() const { return node_guid_; }
  [[nodiscard]] DeviceClock clock() const { return clock_; }
  [[nodiscard]] bool is_iwarp() const { return iwarp_; }
  // Whether each datagram's UDP source port follows its flow label. Where it does not, it is fixed
  // for each queue pair: several of them make the diversity.
  [[nodiscard]] bool label_sets_port() const { return label_sets_port_; }

  // RDMA reads that one queue pair may have on their way, in either direction.
  [[nodiscard]] std::uint8_t reads_in_flight() const { return reads_in_flight_; }

  [[nodiscard]] core::Protocol protocol(const PortInfo& port) const;
  [[nodiscard]] core::Result<PortInfo> query_port(std::uint8_t port) const;
  [[nodiscard]] core::Result<std::vector<core::GidEntry>> gids(std::uint8_t port) const;

  // Readable when something happened.
  [[nodiscard]] int event_fd() const { return context_->async_fd; }
  // Takes and acknowledges every event that waits; those of other ports are left out. Does not
  // block.
  [[nodiscard]] DeviceEvents take_events(std::uint8_t port) const;
  // False once the kernel has begun to remove the device. Some drivers send no event and wait for
  // ever until we close it: look at least once a second.
  [[nodiscard]] bool still_there() const { return node_.still_there(); }

 private:
  Device() = default;
  [[nodiscard]] core::Status prepare(ibv_device* device);
  void query_capabilities();

  VerbsContext context_;
  std::string name_;
  std::string node_guid_;
  DeviceNode node_;
  DeviceClock clock_;
  bool iwarp_ = false;
  bool label_sets_port_ = false;
  std::uint8_t reads_in_flight_ = 1;
};

// "0c42:a103:0065:1d7e" of a GUID in network order.
[[nodiscard]] std::string format_guid(std::uint64_t network_order);

}  // namespace rdmadiag::probes
