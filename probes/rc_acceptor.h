// The passive end of other hosts' RC probes: makes a queue pair for each when asked over the
// control channel, keeps receives posted (the NIC acknowledges, this code is not in the round
// trip), and drops what nobody uses. It never connects on its own. One thread uses it, except for
// what says otherwise.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "probes/random.h"
#include "probes/rc_transport.h"
#include "probes/token_bucket.h"

namespace rdmadiag::probes {

struct RcAcceptorOptions {
  std::uint32_t epoch = 0;
  std::size_t max_connections = 64;  // of this port
  std::size_t max_per_peer = 4;      // then the peer's oldest one goes
  double max_rate = 20;              // new ones a second; each costs kernel commands
  bool one_sided = false;            // whether peers may write to or read from a buffer of ours
  std::uint8_t traffic_class = 0;    // of the acknowledgements
  std::uint32_t flow_label = 1;      // not 0
  std::chrono::nanoseconds idle = std::chrono::seconds(90);
  std::chrono::nanoseconds first_message = std::chrono::seconds(15);  // idle since it was made
};

class RcAcceptor final : public RcEvents {
 public:
  RcAcceptor(const RcAcceptorOptions& options, RandomSource random, const core::Clock& clock);

  // Null when there is none. The former one is not touched any more: it takes its queue pairs with
  // it. Not owned.
  void attach(RcTransport* transport);

  // `peer`: who asks, as far as the control channel knows. The error is for the peer to read: what
  // was wrong with its parameters, or why this host cannot.
  [[nodiscard]] core::Result<RcParameters> accept(const std::string& peer,
                                                  const RcParameters& remote);
  void qp_broken(std::uint32_t qpn);

  void connected(RcConnectionId) override {}
  void sent(RcConnectionId, const Tick&) override {}
  void received(RcConnectionId id, std::uint64_t number, const Tick& tick) override;
  void broken(RcConnectionId id, const std::string& why) override;

  // Drops what is idle.
  void work();
  [[nodiscard]] std::optional<core::SteadyTime> next_wakeup() const;

  // Any thread.
  [[nodiscard]] std::size_t connections() const { return count_; }

 private:
  struct Connection {
    std::string peer;
    std::uint32_t remote_qpn = 0;
    RcService service = RcService::kReliable;
    core::SteadyTime last_used{};
    bool used = false;
  };

  [[nodiscard]] core::Status check(const RcParameters& remote) const;
  [[nodiscard]] core::Status make_room(const std::string& peer, std::uint32_t remote_qpn);
  [[nodiscard]] core::SteadyTime idle_at(const Connection& connection) const;
  void drop(RcConnectionId id);

  RcAcceptorOptions options_;
  RandomSource random_;
  const core::Clock& clock_;
  RcTransport* transport_ = nullptr;
  std::map<RcConnectionId, Connection> connections_;  // the oldest first
  TokenBucket bucket_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace rdmadiag::probes
