// How RcEndpoint's queue pairs and those of peers find each other: QpWalker where we walk them
// ourselves, CmConnector where the transport requires rdma_cm. Used by the endpoint's thread.
#pragma once

#include <cstddef>
#include <vector>

#include "agent/core/enums.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/rc_transport.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

// The port as it is now.
struct RcPort {
  std::uint8_t number = 1;
  core::Protocol protocol = core::Protocol::kRoce;
  core::GidEntry gid;
  std::uint16_t lid = 0;
  int mtu_bytes = 1024;
};

class RcConnector {
 public:
  virtual ~RcConnector() = default;

  // RcTransport::acknowledges.
  [[nodiscard]] virtual bool acknowledges(RcService service) const = 0;
  // Takes a new queue pair to INIT; `access` is what the peer may do (IBV_ACCESS_REMOTE_…). Adds to
  // `local` what the peer has to know.
  [[nodiscard]] virtual core::Status prepare(RcConnectionId id, ibv_qp* qp, const RcPort& port,
                                             const RcSetup& setup, int access,
                                             RcParameters& local) = 0;
  [[nodiscard]] virtual core::Result<RcConnecting> connect(RcConnectionId id, ibv_qp* qp,
                                                           const RcPort& port, const RcSetup& setup,
                                                           const RcParameters& remote) = 0;
  // Before its queue pair is destroyed; also one that prepare() refused.
  virtual void forget(RcConnectionId id) = 0;
  // Hands out what has happened to connections; how much.
  virtual core::Result<std::size_t> poll(RcEvents& events) = 0;
  virtual void add_descriptors(std::vector<int>& descriptors) const = 0;
};

}  // namespace rdmadiag::probes
