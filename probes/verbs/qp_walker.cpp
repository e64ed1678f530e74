#include "probes/verbs/qp_walker.h"

#include <algorithm>

#include "probes/verbs/queue_pair.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kSubnetPrefix = 8;  // bytes of a GID

bool same_subnet(const core::Gid& a, const core::Gid& b) {
  return std::equal(a.begin(), a.begin() + kSubnetPrefix, b.begin());
}

}  // namespace

core::Status QpWalker::prepare(RcConnectionId /*id*/, ibv_qp* qp, const RcPort& port,
                               const RcSetup& setup, int access, RcParameters& local) {
  local.gid = port.gid.gid;
  local.lid = port.lid;
  local.psn = setup.psn;
  return init_connected(qp, port.number, access);
}

core::Result<RcConnecting> QpWalker::connect(RcConnectionId /*id*/, ibv_qp* qp, const RcPort& port,
                                             const RcSetup& setup, const RcParameters& remote) {
  const RcLocal local{.port = port.number,
                      .gid_index = port.gid.index,
                      .psn = setup.psn,
                      .global = port.protocol != core::Protocol::kInfiniband ||
                                !same_subnet(remote.gid, port.gid.gid),
                      .traffic_class = setup.traffic_class,
                      .flow_label = setup.flow_label,
                      .tuning = setup.tuning};
  const RcRemote far{.gid = remote.gid,
                     .lid = remote.lid,
                     .qpn = remote.qpn,
                     .psn = remote.psn,
                     .mtu_bytes = std::min(remote.mtu_bytes, port.mtu_bytes)};
  if (auto connected = walk_connected(qp, device_, local, far); !connected) {
    return tl::make_unexpected(connected.error());
  }
  return RcConnecting::kUp;
}

}  // namespace rdmadiag::probes
