// The real RcTransport: connections of one port on one completion queue, connected by whatever
// RcConnector the port needs. The caller's thread is the only one that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "probes/rc_transport.h"
#include "probes/verbs/completion_queue.h"
#include "probes/verbs/device.h"
#include "probes/verbs/queue_pair.h"
#include "probes/verbs/rc_connector.h"
#include "probes/verbs/registered_memory.h"

namespace rdmadiag::probes {

struct RcEndpointOptions {
  RcPort port{};
  std::size_t max_connections = 8;
};

class RcEndpoint final : public RcTransport {
 public:
  // `device` and `clock` must stay where they are as long as it lives. Without a connector, a
  // QpWalker; rc_open.h chooses the right one.
  [[nodiscard]] static core::Result<std::unique_ptr<RcEndpoint>> create(
      const Device& device, const RcEndpointOptions& options, const core::Clock& clock,
      std::unique_ptr<RcConnector> connector = nullptr);
  ~RcEndpoint() override;

  [[nodiscard]] bool acknowledges(RcService service) const override {
    return connector_->acknowledges(service);
  }
  [[nodiscard]] core::Result<RcCreated> create(const RcSetup& setup) override;
  [[nodiscard]] core::Result<RcConnecting> connect(RcConnectionId id,
                                                   const RcParameters& remote) override;
  [[nodiscard]] core::Status post(RcConnectionId id, RcOperation operation,
                                  std::uint64_t number) override;
  void destroy(RcConnectionId id) override;
  [[nodiscard]] RcConnectionId connection_of(std::uint32_t qpn) const override;
  core::Result<std::size_t> poll(RcEvents& events) override;

  // Of what completes; add_descriptors() has it too, and those that connecting needs.
  [[nodiscard]] int event_fd() const { return queue_.event_fd(); }
  void add_descriptors(std::vector<int>& descriptors) const;
  [[nodiscard]] core::Status arm() { return queue_.arm(); }
  // The completion queue itself failed: only building anew helps. A broken connection is no reason.
  [[nodiscard]] bool broken() const { return broken_; }

  // What connections made from now on use; those that stand keep what they have.
  void port_changed(const RcPort& port) { port_ = port; }

 private:
  struct Connection {
    // Revoked after its queue pair is gone.
    RegisteredMemory opened;  // to the peer, for one-sided operations
    QueuePairHandle qp;
    std::uint32_t inline_bytes = 0;
    std::size_t place = 0;  // of its buffers
    RcSetup setup;
    RcParameters remote;
    std::uint32_t sends_in_flight = 0;
    std::uint32_t next_send = 0;
  };

  RcEndpoint(const RcEndpointOptions& options, const core::Clock& clock, ProtectionDomain domain,
             CompletionQueue queue, std::unique_ptr<RcConnector> connector);
  [[nodiscard]] core::Status prepare(RcConnectionId id, Connection& connection,
                                     RcParameters& local);
  [[nodiscard]] core::Status open_memory(Connection& connection) const;
  [[nodiscard]] core::Status post_receive(RcConnectionId id, const Connection& connection,
                                          std::uint32_t slot);
  [[nodiscard]] std::size_t send_offset(const Connection& connection, std::uint32_t slot) const;
  [[nodiscard]] std::size_t receive_offset(const Connection& connection, std::uint32_t slot) const;
  void hand_out(const WorkCompletion& completion, RcEvents& events);
  void hand_out_receive(RcConnectionId id, std::uint32_t slot, RcEvents& events);

  RcPort port_;
  const core::Clock& clock_;
  // Destroyed from the last to the first.
  ProtectionDomain domain_;
  RegisteredMemory memory_;
  CompletionQueue queue_;
  std::unique_ptr<RcConnector> connector_;
  std::map<RcConnectionId, Connection> connections_;
  std::vector<std::size_t> free_places_;
  RcConnectionId next_id_ = 1;
  bool broken_ = false;
};

}  // namespace rdmadiag::probes
