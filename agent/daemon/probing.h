// Active probing as the daemon runs it: an Rnic for each port of this host, discovery of other
// agents and what their control channels say, and a thread that brings these together.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/clock.h"
#include "agent/core/snapshot.h"
#include "agent/daemon/own_addresses.h"
#include "agent/daemon/probing_events.h"
#include "config/config.h"
#include "probes/control_message.h"
#include "probes/directory.h"
#include "probes/discovery/discovery.h"
#include "probes/endpoint.h"
#include "probes/probe_key.h"
#include "probes/random.h"
#include "probes/rate_governor.h"
#include "probes/target_plan.h"
#include "probes/verbs/rnic.h"

namespace rdmadiag::daemon {

struct ProbingParts {
  std::shared_ptr<const core::Clock> clock;
  probes::RandomSource random;
  std::function<std::shared_ptr<const core::HostSnapshot>()> observe;
  std::function<std::chrono::nanoseconds()> cpu_time;  // of this process so far
  std::string hostname;
  OwnAddresses addresses;
  // A port of this host went up or down. Called from the ports' threads, also after the end of the
  // probing when one of them hung. May be empty.
  std::function<void(const std::string& device, std::uint32_t port, bool up)> on_port_change = {};
};

class Probing {
 public:
  Probing(ProbingParts parts, const config::Config& config);
  ~Probing();
  Probing(const Probing&) = delete;
  Probing& operator=(const Probing&) = delete;

  // Any thread may call these. An error is that of the key file; then all stays as it was.
  [[nodiscard]] core::Status apply(const config::Config& config);
  void devices_changed();                                            // look at once
  [[nodiscard]] std::vector<core::ProbeSnapshot> snapshots() const;  // without path records
  [[nodiscard]] std::vector<core::ProbeSnapshot> snapshots_with_paths() const;
  // The last windows of one pair; empty when it is not probed.
  [[nodiscard]] core::PairHistory history(const std::string& device, std::uint32_t port,
                                          std::string_view peer) const;
  [[nodiscard]] core::SystemTime now() const { return parts_.clock->system(); }
  [[nodiscard]] bool has_looked() const;  // at this host's devices, once
  [[nodiscard]] probes::AgentEndpoints endpoints() const;
  [[nodiscard]] std::vector<probes::AgentRecord> agents() const;
  [[nodiscard]] std::vector<probes::SourceState> sources() const;
  // Every agent that discovery found, and this one.
  [[nodiscard]] std::vector<probes::KnownAgent> known_agents() const;
  // Whom each RNIC probes and why; its RNICs are those of endpoints() when it was made.
  [[nodiscard]] probes::TargetPlan plan() const;
  // A peer's request for a connection; waits a second at most.
  [[nodiscard]] core::Result<probes::RcParameters> accept(const probes::RcOffer& offer);

 private:
  using PortKey = std::pair<std::string, std::uint32_t>;
  struct Port {
    std::shared_ptr<probes::Rnic> rnic;
    int missed = 0;  // looks in a row that did not find it
  };
  void run();
  void act(const ProbingWork& work);
  // False when something did not answer or may have gone.
  bool look();
  void add_rnic(const core::DeviceSnapshot& device, const core::PortSnapshot& port);
  void make_plan();
  void push_targets(const probes::TargetPlan& plan);
  void push_answer(const probes::AgentRecord& answer);
  void look_up(const std::vector<std::string>& names);
  void connect(const ProbingWork::Connect& connect);
  [[nodiscard]] std::shared_ptr<probes::Rnic> find_rnic(const std::string& device,
                                                        std::uint32_t port) const;
  void govern();
  [[nodiscard]] probes::Peer own_peer() const;
  [[nodiscard]] std::shared_ptr<probes::Directory> directory() const;
  [[nodiscard]] std::shared_ptr<probes::Discovery> discovery() const;
  [[nodiscard]] probes::TargetRates rates() const;
  void set_discovery(const config::Config& config);
  [[nodiscard]] core::Status set_keys(const config::Probes& config);

  ProbingParts parts_;
  const std::uint32_t epoch_;
  const probes::ProbeKey local_key_;
  probes::RateGovernor governor_;

  const std::shared_ptr<ProbingEvents> events_ = std::make_shared<ProbingEvents>();

  mutable std::mutex mutex_;  // guards what follows; never held while a port's thread is ended
  config::Config config_;
  std::shared_ptr<const probes::KeyRing> keys_;
  std::map<PortKey, Port> ports_;
  bool has_looked_ = false;
  std::shared_ptr<const probes::TargetPlan> plan_;
  struct TargetPlace {
    std::string agent;  // id; empty for this host's own
    std::string device;
    std::uint32_t port = 1;
  };
  std::map<std::string, TargetPlace> places_;  // by the target's name
  std::shared_ptr<probes::Directory> directory_;
  std::shared_ptr<probes::Discovery> discovery_;

  // Of the own thread.
  probes::AgentEndpoints planned_for_;
  std::int64_t planned_hour_ = 0;
  core::SteadyTime next_look_{};
  core::SteadyTime next_govern_{};

  std::thread thread_;
};

// Where all who need it find it: empty before it was started, after it was stopped, and where there
// are no real devices to probe. Any thread.
class ProbingSlot {
 public:
  [[nodiscard]] std::shared_ptr<Probing> get() const {
    const std::scoped_lock hold(mutex_);
    return probing_;
  }
  void set(std::shared_ptr<Probing> probing) {
    {
      const std::scoped_lock hold(mutex_);
      probing_.swap(probing);
    }
    // The old one ends here, or with whoever still uses it.
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Probing> probing_;
};

}  // namespace rdmadiag::daemon
