// RDMA netlink (NLDEV) as bytes: requests out, replies in. Pure; the socket is rdma_netlink.h.
// Layouts: include/uapi/rdma/rdma_netlink.h and drivers/infiniband/core/nldev.c. Attributes come in
// any order, unknown ones are skipped; a reply cut short is an error, never a part of a reply.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/core/result.h"
#include "agent/host/netlink_codec.h"
#include "agent/host/netlink_source.h"

namespace rdmadiag::host {

// Message types: client NLDEV (5) << 10 | command.
inline constexpr std::uint16_t kNldevGet = 5121;
inline constexpr std::uint16_t kNldevPortGet = 5125;
inline constexpr std::uint16_t kNldevSysGet = 5126;
inline constexpr std::uint16_t kNldevResGet = 5129;
inline constexpr std::uint16_t kNldevResQpGet = 5130;
inline constexpr std::uint16_t kNldevStatGet = 5137;
inline constexpr std::uint16_t kNldevMonitor = 5148;  // since 6.12

inline constexpr unsigned kNotifyGroup = 4;  // multicast group, since 6.12

// Payload of a request about a device.
[[nodiscard]] std::vector<std::byte> device_request(std::uint32_t device_index);
[[nodiscard]] std::vector<std::byte> port_request(std::uint32_t device_index, std::uint32_t port);

// Payloads of replies, one message each.
[[nodiscard]] core::Result<NetlinkDevice> decode_device(Bytes payload);
[[nodiscard]] core::Result<NetlinkPort> decode_port(Bytes payload);
[[nodiscard]] core::Result<std::vector<core::ResourceCount>> decode_resources(Bytes payload);
[[nodiscard]] core::Result<std::vector<NetlinkCounter>> decode_port_statistics(Bytes payload);
// A dump message holds several queue pairs.
[[nodiscard]] core::Result<std::vector<core::QueuePair>> decode_queue_pairs(Bytes payload);
[[nodiscard]] core::Result<bool> decode_netns_shared(Bytes payload);

enum class RdmaEventKind : std::uint8_t {
  kRegistered,
  kUnregistered,
  kNetdevAttached,
  kNetdevDetached,
  kRenamed,
  kNetdevRenamed,
  kOther,
};

struct RdmaEvent {
  RdmaEventKind kind = RdmaEventKind::kOther;
  std::optional<std::uint32_t> device_index;
  std::string device;
  std::optional<std::uint32_t> port;
  std::string netdev;
};
[[nodiscard]] core::Result<RdmaEvent> decode_event(Bytes payload);

}  // namespace rdmadiag::host
