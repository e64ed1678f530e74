// One end of an RC connection, for programs of the lab that break it. They have no time for
// errors: any ends the program.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "agent/core/gid.h"
#include "probes/verbs/completion_queue.h"
#include "probes/verbs/queue_pair.h"

namespace rdmadiag::lab {

using namespace rdmadiag::probes;

inline constexpr std::uint8_t kPort = 1;
inline constexpr std::uint32_t kQueueLength = 8;
inline constexpr std::uint8_t kRetries = 2;  // soft-RoCE takes 7 for "without end"

[[noreturn]] inline void give_up(const std::string& problem) {
  std::fprintf(stderr, "%s\n", problem.c_str());
  std::exit(1);
}

template <class Value>
Value must(core::Result<Value> result) {
  if (!result) give_up(result.error().message());
  return std::move(*result);
}

inline void must(int error, const char* what) {
  if (error != 0) give_up(what);
}

struct Address {
  core::Gid gid{};
  std::uint32_t qpn = 0;
};

class End {
 public:
  End(const std::string& name, int receive_entries)
      : device_(must(Device::open({.name = name, .node_guid = {}}))),
        domain_(ibv_alloc_pd(device_.context())),
        sends_(must(CompletionQueue::create(device_, kQueueLength))),
        receives_(must(CompletionQueue::create(device_, receive_entries))),
        pair_(must(create_queue_pair(
            domain_.get(), sends_.get(), IBV_QPT_RC,
            {.sends = kQueueLength, .receives = kQueueLength, .receive_queue = receives_.get()}))) {
    const auto port = must(device_.query_port(kPort));
    const auto choice = core::choose_gid(must(device_.gids(kPort)), device_.protocol(port));
    if (!choice.entry) give_up(choice.reason);
    gid_ = *choice.entry;
  }

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] Address address() const { return {gid_.gid, pair_.handle->qp_num}; }

  void connect(const Address& peer) {
    if (!init_connected(pair_.handle.get(), kPort)) give_up("to INIT");
    ibv_qp_attr way{};
    way.qp_state = IBV_QPS_RTR;
    way.path_mtu = IBV_MTU_1024;
    way.dest_qp_num = peer.qpn;
    way.max_dest_rd_atomic = 1;
    way.min_rnr_timer = 12;
    way.ah_attr.is_global = 1;
    way.ah_attr.port_num = kPort;
    way.ah_attr.grh.hop_limit = 64;
    way.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid_.index);
    std::memcpy(way.ah_attr.grh.dgid.raw, peer.gid.data(), peer.gid.size());
    must(ibv_modify_qp(pair_.handle.get(), &way,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
         "to RTR");
    ibv_qp_attr ready{};
    ready.qp_state = IBV_QPS_RTS;
    ready.timeout = 14;
    ready.retry_cnt = kRetries;
    ready.rnr_retry = kRetries;
    ready.max_rd_atomic = 1;
    must(ibv_modify_qp(pair_.handle.get(), &ready,
                       IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT |
                           IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT),
         "to RTS");
  }

  void post_receive() {
    ibv_recv_wr empty{};
    ibv_recv_wr* refused = nullptr;
    must(ibv_post_recv(pair_.handle.get(), &empty, &refused), "ibv_post_recv");
  }
  void send() {
    ibv_send_wr message{};
    message.opcode = IBV_WR_SEND;
    message.send_flags = IBV_SEND_SIGNALED;
    ibv_send_wr* refused = nullptr;
    must(ibv_post_send(pair_.handle.get(), &message, &refused), "ibv_post_send");
  }

 private:
  Device device_;
  core::GidEntry gid_;
  ProtectionDomain domain_;
  CompletionQueue sends_;
  CompletionQueue receives_;
  CreatedQueuePair pair_;
};

// Blocks SIGTERM; what it returns waits for it.
inline auto until_terminated() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
  return [stop] {
    int signal = 0;
    sigwait(&stop, &signal);
  };
}

}  // namespace rdmadiag::lab
