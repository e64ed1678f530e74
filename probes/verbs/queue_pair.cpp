#include "probes/verbs/queue_pair.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "agent/core/gid.h"

namespace rdmadiag::probes {
namespace {

constexpr std::uint8_t kHopLimit = 64;
constexpr std::uint8_t kAckTimeout = 14;  // 4.096 µs × 2^14 = 67 ms
constexpr std::uint8_t kMinRnrTimer = 12;
constexpr std::uint32_t kMaxQpn = 0xffffff;

ibv_mtu verbs_mtu(int bytes) {
  if (bytes >= 4096) return IBV_MTU_4096;
  if (bytes >= 2048) return IBV_MTU_2048;
  if (bytes >= 1024) return IBV_MTU_1024;
  return bytes >= 512 ? IBV_MTU_512 : IBV_MTU_256;
}

// Looks for the attribute the kernel meant, since all it says is EINVAL.
std::string rtr_culprit(int error, const Device& device, const RcLocal& local,
                        const RcRemote& remote) {
  const std::string gid = core::format_gid(remote.gid);
  if (error == ENETUNREACH || error == EHOSTUNREACH || error == ETIMEDOUT) {
    return "ah_attr.grh.dgid " + gid + ": no route or no neighbour";
  }
  if (remote.qpn == 0 || remote.qpn > kMaxQpn) return "dest_qp_num " + std::to_string(remote.qpn);
  if (local.global && core::is_zero(remote.gid)) return "ah_attr.grh.dgid is zero";
  const auto port = device.query_port(local.port);
  if (!port) return "the port: " + port.error().message();
  if (!port->is_active()) return "ah_attr.port_num: the port is not active";
  if (remote.mtu_bytes > port->active_mtu_bytes) {
    return "path_mtu " + std::to_string(remote.mtu_bytes) + ": the port's active MTU is " +
           std::to_string(port->active_mtu_bytes);
  }
  const auto gids = device.gids(local.port);
  const auto has_index = [&](const core::GidEntry& entry) {
    return entry.index == local.gid_index;
  };
  if (gids && local.global && std::ranges::none_of(*gids, has_index)) {
    return "ah_attr.grh.sgid_index " + std::to_string(local.gid_index) + " is an empty slot";
  }
  return "one of ah_attr (dgid " + gid +
         "), path_mtu, dest_qp_num, rq_psn, max_dest_rd_atomic, "
         "min_rnr_timer";
}

ibv_ah_attr address_of(const RcLocal& local, const RcRemote& remote) {
  ibv_ah_attr address{};
  address.port_num = local.port;
  address.dlid = remote.lid;
  address.is_global = local.global ? 1 : 0;
  std::memcpy(address.grh.dgid.raw, remote.gid.data(), remote.gid.size());
  address.grh.sgid_index = static_cast<std::uint8_t>(local.gid_index);
  address.grh.flow_label = local.flow_label;
  address.grh.traffic_class = local.traffic_class;
  address.grh.hop_limit = kHopLimit;
  return address;
}

ibv_qp* try_create(ibv_pd* domain, ibv_cq* queue, ibv_qp_type type, const QueueSizes& sizes,
                   std::uint32_t& inline_bytes) {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = queue;
  attributes.recv_cq = sizes.receive_queue != nullptr ? sizes.receive_queue : queue;
  attributes.qp_type = type;
  attributes.sq_sig_all = sizes.signalling == Signalling::kAll ? 1 : 0;
  attributes.cap.max_send_wr = sizes.sends;
  attributes.cap.max_recv_wr = sizes.receives;
  attributes.cap.max_send_sge = 2;
  attributes.cap.max_recv_sge = sizes.receive_segments;
  attributes.cap.max_inline_data = inline_bytes;
  ibv_qp* qp = ibv_create_qp(domain, &attributes);
  inline_bytes = attributes.cap.max_inline_data;
  return qp;
}

const char* name_of(ibv_qp_type type) { return type == IBV_QPT_UC ? "UC" : "RC"; }

core::Status to_rts(ibv_qp* qp, const RcLocal& local) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = local.psn;
  attributes.max_rd_atomic = local.tuning.reads_in_flight;
  attributes.timeout = kAckTimeout;
  attributes.retry_cnt = local.tuning.retries;
  attributes.rnr_retry = local.tuning.rnr_retry;
  int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
  std::string attributes_set = "sq_psn";
  if (qp->qp_type == IBV_QPT_RC) {
    mask |= IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
    attributes_set = "timeout 14, retry_cnt " + std::to_string(local.tuning.retries) +
                     ", rnr_retry " + std::to_string(local.tuning.rnr_retry) + ", max_rd_atomic " +
                     std::to_string(local.tuning.reads_in_flight) + ", sq_psn";
  }
  if (const int error = ibv_modify_qp(qp, &attributes, mask); error != 0) {
    return core::errno_error(
        error, name_of(qp->qp_type) + (" queue pair RTR to RTS (" + attributes_set + ")"));
  }
  return {};
}

}  // namespace

core::Result<CreatedQueuePair> create_queue_pair(ibv_pd* domain, ibv_cq* queue, ibv_qp_type type,
                                                 const QueueSizes& sizes) {
  CreatedQueuePair created;
  created.inline_bytes = sizes.inline_bytes;
  created.handle.reset(try_create(domain, queue, type, sizes, created.inline_bytes));
  if (!created.handle && sizes.inline_bytes > 0) {
    created.inline_bytes = 0;
    created.handle.reset(try_create(domain, queue, type, sizes, created.inline_bytes));
  }
  if (!created.handle) {
    const int error = errno;
    return core::errno_error(error, "ibv_create_qp with max_send_wr " +
                                        std::to_string(sizes.sends) + ", max_recv_wr " +
                                        std::to_string(sizes.receives));
  }
  return created;
}

core::Status ready_ud(ibv_qp* qp, std::uint8_t port, std::uint32_t qkey) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = 0;
  attributes.port_num = port;
  attributes.qkey = qkey;
  int error =
      ibv_modify_qp(qp, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
  if (error != 0) {
    return core::errno_error(error, "UD queue pair RESET to INIT (port_num " +
                                        std::to_string(port) + ", pkey_index 0, qkey)");
  }
  attributes.qp_state = IBV_QPS_RTR;
  error = ibv_modify_qp(qp, &attributes, IBV_QP_STATE);
  if (error != 0) return core::errno_error(error, "UD queue pair INIT to RTR");
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = 0;
  error = ibv_modify_qp(qp, &attributes, IBV_QP_STATE | IBV_QP_SQ_PSN);
  if (error != 0) return core::errno_error(error, "UD queue pair RTR to RTS (sq_psn 0)");
  return {};
}

core::Status init_connected(ibv_qp* qp, std::uint8_t port, int access) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = 0;
  attributes.port_num = port;
  attributes.qp_access_flags = static_cast<unsigned>(access);
  const int error = ibv_modify_qp(
      qp, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
  if (error != 0) {
    return core::errno_error(error, std::string(name_of(qp->qp_type)) +
                                        " queue pair RESET to INIT (port_num " +
                                        std::to_string(port) + ", pkey_index 0, qp_access_flags)");
  }
  return {};
}

core::Status walk_connected(ibv_qp* qp, const Device& device, const RcLocal& local,
                            const RcRemote& remote) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  attributes.ah_attr = address_of(local, remote);
  attributes.path_mtu = verbs_mtu(remote.mtu_bytes);
  attributes.dest_qp_num = remote.qpn;
  attributes.rq_psn = remote.psn;
  attributes.max_dest_rd_atomic = local.tuning.reads_in_flight;
  attributes.min_rnr_timer = kMinRnrTimer;
  int mask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  if (qp->qp_type == IBV_QPT_RC) mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  if (const int error = ibv_modify_qp(qp, &attributes, mask); error != 0) {
    return core::errno_error(error, std::string(name_of(qp->qp_type)) +
                                        " queue pair INIT to RTR, " +
                                        rtr_culprit(error, device, local, remote));
  }
  return to_rts(qp, local);
}

}  // namespace rdmadiag::probes
