// One port that is probed and probes: a prober and a responder, each on a thread of its own, so
// that a busy prober is not seen as a peer's latency. Any thread may call.
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
#include "probes/endpoint.h"
#include "probes/prober.h"
#include "probes/verbs/answering_port.h"
#include "probes/verbs/port_thread.h"
#include "probes/verbs/port_users.h"

namespace rdmadiag::probes {

struct RnicOptions {
  std::string host;
  DeviceIdentity device;
  std::uint8_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;  // as far as known before it is opened
  std::string leaf;
  std::string rail;
  std::string pod;
  ProberOptions datagrams;  // its epoch is the responder's too
  RcProberOptions connections;
  RcAcceptorOptions acceptor;
};

class Rnic {
 public:
  // `wishes` are called on the prober's thread.
  Rnic(RnicOptions options, std::shared_ptr<const KeyRing> keys, const RandomSource& random,
       std::shared_ptr<const core::Clock> clock, ProberUser::Wishes wishes);

  [[nodiscard]] const RnicOptions& options() const { return options_; }
  [[nodiscard]] std::string name() const {
    return nic_name(options_.host, options_.device.name, options_.port);
  }

  void set_targets(std::vector<ProbeTarget> targets);
  void set_peer(std::string peer, std::optional<PeerEndpoint> endpoint,
                PeerReachability reachability);
  void set_keys(std::shared_ptr<const KeyRing> keys);
  void set_rate_factor(double factor);

  // Connections: to whom, what a peer answered to RcProber's request, and a peer's own request.
  void set_connections(std::vector<RcTarget> targets);
  void connection_answered(std::uint64_t request, core::Result<RcParameters> answer);
  // Waits for the responder's thread, at most a second.
  [[nodiscard]] core::Result<RcParameters> accept(const std::string& peer,
                                                  const RcParameters& remote) {
    return answering_.accept(peer, remote);
  }

  [[nodiscard]] RnicEndpoint endpoint() const { return answering_.endpoint(); }
  // Without the path records: they are many, and only localisation wants them.
  [[nodiscard]] core::ProbeSnapshot snapshot() const;
  [[nodiscard]] core::ProbeSnapshot snapshot_with_paths() const;
  [[nodiscard]] core::PairHistory history(std::string_view peer) const;

 private:
  RnicOptions options_;
  std::shared_ptr<const core::Clock> clock_;
  std::shared_ptr<ProberUser> prober_;
  std::atomic<double> rate_factor_ = 1;
  AnsweringPort answering_;
  PortThread prober_thread_;  // ends first
};

}  // namespace rdmadiag::probes
