// The prober and the responder of one port as users of its threads: each with queue pairs of its
// own, for datagrams and for connections, so that neither waits for the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/prober.h"
#include "probes/rc_acceptor.h"
#include "probes/rc_prober.h"
#include "probes/responder.h"
#include "probes/verbs/port_user.h"
#include "probes/verbs/rc_endpoint.h"
#include "probes/verbs/ud_endpoint.h"

namespace rdmadiag::probes {

// What both have in common: endpoints that come and go with the port.
class EndpointUser : public PortUser {
 public:
  core::Status open(const Device& device, const PortView& view) override;
  void close() override;
  void port_changed(const PortView& view) override;
  void device_events(const DeviceEvents& events) override;
  void add_descriptors(std::vector<int>& descriptors) const override;
  core::Result<std::size_t> poll() override;
  core::Status arm() override;
  [[nodiscard]] bool broken() const override;

 protected:
  EndpointUser(std::shared_ptr<const core::Clock> clock, std::uint32_t qkey,
               std::size_t max_connections);

  [[nodiscard]] const core::Clock& clock() const { return *clock_; }

  [[nodiscard]] virtual UdEndpointOptions datagram_options(const Device& device) const = 0;
  // Null: nothing can be sent.
  virtual void attach(UdTransport* datagrams) = 0;
  virtual void attach(RcTransport* connections) = 0;
  virtual UdEvents& datagram_events() = 0;
  virtual RcEvents& connection_events() = 0;
  virtual void connection_broken(std::uint32_t qpn) = 0;
  virtual void port_active(bool active) = 0;
  virtual void port_went(PortChange change) = 0;

 private:
  core::Status open_datagrams(const Device& device, const PortView& view);
  core::Status open_connections(const Device& device, const PortView& view);
  void attach_datagrams(bool attached);

  std::shared_ptr<const core::Clock> clock_;
  std::uint32_t qkey_;
  std::size_t max_connections_;
  std::unique_ptr<UdEndpoint> datagrams_;  // null on iWARP, and while the port is closed
  std::unique_ptr<RcEndpoint> connections_;
  bool attached_ = false;
  bool queue_pair_failed_ = false;
};

class ProberUser final : public EndpointUser {
 public:
  // Called on the port's thread.
  struct Wishes {
    // Peers whose endpoint must be looked up.
    std::function<void(const std::vector<std::string>& peers)> look_up;
    // To be posted to peers' control channels.
    std::function<void(const std::vector<RcRequest>& requests)> connect;
    // The port went up or down, by an asynchronous event of the device. May be empty.
    std::function<void(PortChange change)> on_port_change = {};
  };
  ProberUser(const ProberOptions& datagrams, const RcProberOptions& connections,
             std::shared_ptr<const KeyRing> keys, const RandomSource& random,
             std::shared_ptr<const core::Clock> clock, Wishes wishes);

  // On the port's thread, apart from their fill().
  [[nodiscard]] Prober& prober() { return prober_; }
  [[nodiscard]] RcProber& rc_prober() { return rc_prober_; }

  void stop() override { rc_prober_.set_targets({}); }
  bool work() override;
  [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() override;
  [[nodiscard]] bool watches_clock() const override {
    return prober_.awaits_answers() || rc_prober_.awaits_answers();
  }
  void loop_stalled(core::SteadyTime from, core::SteadyTime to) override;

 private:
  [[nodiscard]] UdEndpointOptions datagram_options(const Device& device) const override;
  void attach(UdTransport* datagrams) override { prober_.attach(datagrams); }
  void attach(RcTransport* connections) override { rc_prober_.attach(connections); }
  UdEvents& datagram_events() override { return prober_; }
  RcEvents& connection_events() override { return rc_prober_; }
  void connection_broken(std::uint32_t qpn) override { rc_prober_.qp_broken(qpn); }
  void port_active(bool active) override { rc_prober_.set_port_active(active); }
  void port_went(PortChange change) override;

  Prober prober_;
  RcProber rc_prober_;
  Wishes wishes_;
};

class ResponderUser final : public EndpointUser {
 public:
  ResponderUser(const RcAcceptorOptions& connections, std::shared_ptr<const KeyRing> keys,
                const RandomSource& random, std::shared_ptr<const core::Clock> clock);

  // On the port's thread.
  [[nodiscard]] Responder& responder() { return responder_; }
  [[nodiscard]] RcAcceptor& acceptor() { return acceptor_; }
  // Any thread: what it counted, and the queue pair it answers on; 0 while there is none.
  [[nodiscard]] core::ResponderCounts counts() const { return responder_.counts(); }
  [[nodiscard]] std::uint32_t qpn() const { return qpn_; }

  bool work() override {
    acceptor_.work();
    return false;
  }
  [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() override {
    return acceptor_.next_wakeup();
  }
  // Only while somebody probes: an idle responder sleeps.
  [[nodiscard]] bool watches_clock() const override;
  void loop_stalled(core::SteadyTime from, core::SteadyTime to) override {
    responder_.loop_stalled(from, to);
  }

 private:
  [[nodiscard]] UdEndpointOptions datagram_options(const Device& device) const override;
  void attach(UdTransport* datagrams) override;
  void attach(RcTransport* connections) override { acceptor_.attach(connections); }
  UdEvents& datagram_events() override { return responder_; }
  RcEvents& connection_events() override { return acceptor_; }
  void connection_broken(std::uint32_t qpn) override { acceptor_.qp_broken(qpn); }
  void port_active(bool /*active*/) override {}
  void port_went(PortChange /*change*/) override {}

  Responder responder_;
  RcAcceptor acceptor_;
  std::atomic<std::uint32_t> qpn_ = 0;
};

}  // namespace rdmadiag::probes
