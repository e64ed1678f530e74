// The account of a port's RC connections: what was sent and arrived, which connections are up and
// how long those that should be were not. The prober writes it; any thread may read it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "agent/core/clock.h"
#include "agent/core/probe.h"

namespace rdmadiag::probes {

class RcLedger {
 public:
  explicit RcLedger(const core::Clock& clock) : clock_(clock) {}

  // Time that `peer` is not up counts as down time only while it should be up: it agreed to be
  // probed, and this host's own device works.
  struct State {
    bool up = false;
    bool should_be_up = false;
    std::string problem;  // empty when up
  };
  // Adds a peer it does not know.
  void set_state(const std::string& peer, const State& state);
  void remove(const std::string& peer);

  // Without a round trip time when something of this host was in it.
  void acknowledged(const std::string& peer, std::optional<std::chrono::nanoseconds> round_trip);
  void lost();
  void rebuilt(core::RcRebuildReason reason);

  void fill(core::RcProbes& probes) const;

 private:
  struct Peer {
    State state;
    core::SteadyTime since{};  // while down: until when the down time has been added up
    std::optional<double> last_rtt_seconds;
  };
  [[nodiscard]] double down_time(const Peer& peer) const;

  const core::Clock& clock_;
  mutable std::mutex lock_;
  std::map<std::string, Peer> peers_;
  core::RcProbes totals_;
};

}  // namespace rdmadiag::probes
