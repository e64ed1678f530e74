// Connects queue pairs on InfiniBand and RoCE, with nothing but what the control channel brought.
#pragma once

#include "probes/verbs/device.h"
#include "probes/verbs/rc_connector.h"

namespace rdmadiag::probes {

class QpWalker final : public RcConnector {
 public:
  // `device` must stay where it is.
  explicit QpWalker(const Device& device) : device_(device) {}

  [[nodiscard]] bool acknowledges(RcService service) const override {
    return service == RcService::kReliable;
  }
  [[nodiscard]] core::Status prepare(RcConnectionId id, ibv_qp* qp, const RcPort& port,
                                     const RcSetup& setup, int access,
                                     RcParameters& local) override;
  [[nodiscard]] core::Result<RcConnecting> connect(RcConnectionId id, ibv_qp* qp,
                                                   const RcPort& port, const RcSetup& setup,
                                                   const RcParameters& remote) override;
  void forget(RcConnectionId /*id*/) override {}
  core::Result<std::size_t> poll(RcEvents& /*events*/) override { return std::size_t{0}; }
  void add_descriptors(std::vector<int>& /*descriptors*/) const override {}

 private:
  const Device& device_;
};

}  // namespace rdmadiag::probes
