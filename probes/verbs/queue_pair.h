// Creating queue pairs and walking them RESET → INIT → RTR → RTS. A step that fails names itself
// and the attribute that is at fault, as far as the port's state and tables tell.
#pragma once

#include <cstdint>

#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/rc_transport.h"
#include "probes/verbs/device.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

enum class Signalling : std::uint8_t { kAll, kAsAsked };

struct QueueSizes {
  std::uint32_t sends = 0;
  std::uint32_t receives = 0;
  std::uint32_t inline_bytes = 0;
  std::uint32_t receive_segments = 1;
  Signalling signalling = Signalling::kAll;
  ibv_cq* receive_queue = nullptr;  // null: that of the sends
};

struct CreatedQueuePair {
  QueuePairHandle handle;
  std::uint32_t inline_bytes = 0;  // granted
};

// Falls back to no inline data where the device has none.
[[nodiscard]] core::Result<CreatedQueuePair> create_queue_pair(ibv_pd* domain, ibv_cq* queue,
                                                               ibv_qp_type type,
                                                               const QueueSizes& sizes);

[[nodiscard]] core::Status ready_ud(ibv_qp* qp, std::uint8_t port, std::uint32_t qkey);

// The local end of a connection.
struct RcLocal {
  std::uint8_t port = 1;
  int gid_index = 0;
  std::uint32_t psn = 0;
  bool global = true;  // always on RoCE; on InfiniBand only across subnets
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 1;
  RcTuning tuning = {};
};

struct RcRemote {
  core::Gid gid{};
  std::uint16_t lid = 0;
  std::uint32_t qpn = 0;
  std::uint32_t psn = 0;
  int mtu_bytes = 1024;  // of the path: the smaller of both ports'
};

// RESET → INIT of an RC or UC queue pair. `access`: IBV_ACCESS_REMOTE_… of what the peer may do;
// 0 for everything but one-sided probes.
[[nodiscard]] core::Status init_connected(ibv_qp* qp, std::uint8_t port, int access = 0);
// INIT → RTR → RTS.
[[nodiscard]] core::Status walk_connected(ibv_qp* qp, const Device& device, const RcLocal& local,
                                          const RcRemote& remote);

}  // namespace rdmadiag::probes
