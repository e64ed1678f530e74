// What the read path wants from RDMA netlink, as an interface: tests and captures put something
// else behind it. An implementation may be called by several device readers at once; a call can
// block for as long as the driver does, so only a device's own reader may make calls about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::host {

struct NetlinkDevice {
  std::uint32_t index = 0;  // stable while the device lives; not kept over a driver reload
  std::string name;
  std::uint32_t ports = 0;
  std::string firmware;
  std::optional<std::uint64_t> node_guid;
  std::optional<std::uint64_t> sys_image_guid;
  std::optional<int> node_type;
  core::Protocol protocol = core::Protocol::kUnknown;

  bool operator==(const NetlinkDevice&) const = default;
};

struct NetlinkPort {
  std::uint32_t number = 0;
  std::optional<int> state;
  std::optional<int> physical_state;
  std::optional<std::uint64_t> cap_flags;
  // InfiniBand only.
  std::optional<std::uint64_t> subnet_prefix;
  std::optional<std::uint32_t> lid;
  std::optional<std::uint32_t> sm_lid;
  std::optional<std::uint32_t> lid_mask_count;
  // Only when the netdev is in our network namespace.
  std::string netdev;
  std::optional<std::uint32_t> netdev_index;
};

struct NetlinkCounter {
  std::string name;
  std::uint64_t value = 0;
};

// Errors carry the errno of the answer; EINVAL from port_statistics covers a driver without port
// counters, an unknown device and a failed firmware read alike.
class NetlinkSource {
 public:
  virtual ~NetlinkSource() = default;

  virtual core::Result<std::vector<NetlinkDevice>> list_devices() = 0;
  virtual core::Result<NetlinkPort> port(std::uint32_t device_index, std::uint32_t port) = 0;
  // The port's hw_counters, read from the hardware: the kernel's cache is passed by.
  virtual core::Result<std::vector<NetlinkCounter>> port_statistics(std::uint32_t device_index,
                                                                    std::uint32_t port) = 0;
  virtual core::Result<std::vector<core::ResourceCount>> resources(std::uint32_t device_index) = 0;
  // The kernel may ask the firmware for each queue pair: opt-in.
  virtual core::Result<std::vector<core::QueuePair>> queue_pairs(std::uint32_t device_index) = 0;
  // True: every device is seen in every network namespace.
  virtual core::Result<bool> netns_shared() = 0;
};

}  // namespace rdmadiag::host
