// Connects queue pairs with rdma_cm, as iWARP requires: a connection there is one of TCP. The
// acceptor listens on a port of its own choosing and tells it, with a token that says which of its
// queue pairs the caller is for, over the control channel.
//
// Only connecting is left to librdmacm; queue pairs are those of the endpoint. It opens the device
// once more and does not close it before it lists devices again, which may be never, while the
// kernel waits for that to finish removing the device: closing it is up to us then.
#pragma once

#include <rdma/rdma_cma.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "probes/random.h"
#include "probes/verbs/device_node.h"
#include "probes/verbs/rc_connector.h"

namespace rdmadiag::probes {

// The IP address of a port with this GID.
using AddressOfGid = std::function<core::Result<core::Gid>(const core::Gid&)>;

class CmConnector final : public RcConnector {
 public:
  [[nodiscard]] static core::Result<std::unique_ptr<CmConnector>> create(RandomSource random,
                                                                         AddressOfGid address_of);
  ~CmConnector() override;
  CmConnector(const CmConnector&) = delete;
  CmConnector& operator=(const CmConnector&) = delete;

  // An iWARP NIC is done with a message once TCP has it.
  [[nodiscard]] bool acknowledges(RcService /*service*/) const override { return false; }
  [[nodiscard]] core::Status prepare(RcConnectionId id, ibv_qp* qp, const RcPort& port,
                                     const RcSetup& setup, int access,
                                     RcParameters& local) override;
  [[nodiscard]] core::Result<RcConnecting> connect(RcConnectionId id, ibv_qp* qp,
                                                   const RcPort& port, const RcSetup& setup,
                                                   const RcParameters& remote) override;
  void forget(RcConnectionId id) override { connections_.erase(id); }
  core::Result<std::size_t> poll(RcEvents& events) override;
  void add_descriptors(std::vector<int>& descriptors) const override {
    descriptors.push_back(channel_->fd);
  }

 private:
  struct DestroyChannel {
    void operator()(rdma_event_channel* channel) const { ::rdma_destroy_event_channel(channel); }
  };
  struct DestroyId {
    void operator()(rdma_cm_id* id) const { ::rdma_destroy_id(id); }
  };
  using Channel = std::unique_ptr<rdma_event_channel, DestroyChannel>;
  using CmId = std::unique_ptr<rdma_cm_id, DestroyId>;

  struct Connection {
    RcRole role = RcRole::kProber;
    std::uint32_t qpn = 0;
    std::uint64_t token = 0;  // of the acceptor
    RcTuning tuning;
    core::Gid address{};  // ours
    CmId cm;              // none before the peer called
  };
  // What an event said; events must be given back before their id can be destroyed.
  struct Event {
    rdma_cm_event_type type = RDMA_CM_EVENT_ADDR_RESOLVED;
    int status = 0;
    rdma_cm_id* id = nullptr;
    std::uint64_t token = 0;  // 0: none came along
  };

  CmConnector(RandomSource random, AddressOfGid address_of, Channel channel);
  [[nodiscard]] core::Status hold_device(const core::Gid& address);
  [[nodiscard]] core::Result<CmId> bind(const core::Gid& address) const;
  [[nodiscard]] core::Status listen(const core::Gid& address);
  [[nodiscard]] core::Result<CmId> new_id(RcConnectionId id) const;
  [[nodiscard]] std::optional<Event> take_event() const;
  void handle(const Event& event, RcEvents& events);
  void handle_call(const Event& event);
  [[nodiscard]] core::Status go_on(const Event& event, Connection& connection);

  RandomSource random_;
  AddressOfGid address_of_;
  Channel channel_;  // outlives all ids
  CmId holder_;      // bound to the device: as long as it is there, its context is
  DeviceNode node_;
  core::Gid listening_on_{};
  CmId listener_;
  std::map<RcConnectionId, Connection> connections_;
};

}  // namespace rdmadiag::probes
