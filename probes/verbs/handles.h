// One owner for each verbs object. Members of a class that holds several stand in the order of
// their creation, so that they are destroyed the other way round: QP, CQ, MR, PD, context.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>

#include "agent/core/log.h"

namespace rdmadiag::probes {

template <auto Destroy>
struct VerbsCloser {
  template <class Handle>
  void operator()(Handle* handle) const noexcept {
    const int error = Destroy(handle);
    if (error != 0) {
      core::log_warn("releasing a verbs object failed", {{"errno", std::to_string(error)}});
    }
  }
};

using VerbsContext = std::unique_ptr<ibv_context, VerbsCloser<&ibv_close_device>>;
using ProtectionDomain = std::unique_ptr<ibv_pd, VerbsCloser<&ibv_dealloc_pd>>;
using CompletionChannel = std::unique_ptr<ibv_comp_channel, VerbsCloser<&ibv_destroy_comp_channel>>;
using CompletionQueueHandle = std::unique_ptr<ibv_cq, VerbsCloser<&ibv_destroy_cq>>;
using QueuePairHandle = std::unique_ptr<ibv_qp, VerbsCloser<&ibv_destroy_qp>>;
using MemoryRegionHandle = std::unique_ptr<ibv_mr, VerbsCloser<&ibv_dereg_mr>>;
using AddressHandle = std::unique_ptr<ibv_ah, VerbsCloser<&ibv_destroy_ah>>;

}  // namespace rdmadiag::probes
