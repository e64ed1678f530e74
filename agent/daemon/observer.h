// What the daemon knows at the moment of a request: the host's state, what was seen of it since
// start, and the diagnosis. Any thread may call; requests close together get the same observation.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/diagnose/diagnose.h"
#include "agent/core/port_history.h"
#include "agent/core/probe.h"
#include "agent/core/resource_history.h"
#include "agent/core/snapshot.h"
#include "agent/core/trails.h"
#include "agent/daemon/bursts.h"
#include "agent/daemon/watching.h"
#include "agent/host/collect.h"

namespace rdmadiag::daemon {

using Probes = std::vector<core::ProbeSnapshot>;

struct Observation {
  std::shared_ptr<const core::HostSnapshot> host;
  std::shared_ptr<const Probes> probes;                // at the same moment; null without probing
  std::shared_ptr<const Probes> probes_before;         // those of `before`
  std::shared_ptr<const core::HostSnapshot> at_start;  // never null
  // Some time earlier, for rates; null until there is one.
  std::shared_ptr<const core::HostSnapshot> before;
  core::Trails trails;  // of all counters since the start
  std::vector<core::PortStatus> ports;
  core::Diagnosis diagnosis;  // without what could not be told; see explain()
};

class Observer {
 public:
  // `collector` outlives the observer.
  Observer(host::Collector& collector, core::Expectations expect);

  [[nodiscard]] std::shared_ptr<const Observation> observe();
  // Null when the host cannot be read within `patience` (see Collector::try_collect()), or somebody
  // else is at work on it.
  [[nodiscard]] std::shared_ptr<const Observation> try_observe(std::chrono::nanoseconds patience);
  // The diagnosis of an observation with what could not be told: many words that a scrape does not
  // need.
  [[nodiscard]] core::Diagnosis explain(const Observation& observation);
  void expect(core::Expectations expect);
  // From now on it follows what is observed, and tells of the ports between. Outlives the
  // observer's last observation.
  void watch(Watching& watching);
  // What the diagnosis says of memory locks; without it, that it cannot tell.
  void limits(core::ProcessLimits limits);
  // From now on the diagnosis speaks of probes too. `probes` gives null where nothing probes; any
  // thread may call it. To be called before observe() is.
  void follow_probes(std::function<std::shared_ptr<const Probes>()> probes);
  // The same of the burst sampler.
  void sample(Bursts& bursts);
  // What the sampler sees at this moment.
  [[nodiscard]] std::vector<core::BurstDevice> bursts() const;

  // Diagnosis and rates look back at least this far once the daemon has run that long, at most
  // twice as far.
  static constexpr std::chrono::nanoseconds kLookBack = std::chrono::seconds(60);

 private:
  // A host and what its probes said at that moment.
  struct Look {
    std::shared_ptr<const core::HostSnapshot> host;
    std::shared_ptr<const Probes> probes;
  };
  [[nodiscard]] std::shared_ptr<const Observation> take(const Look& look);
  void remember(const Look& look);
  [[nodiscard]] core::Diagnosis diagnose(const Observation& observation, bool list_unknown) const;
  [[nodiscard]] std::vector<core::PortStatus> port_statuses(const core::HostSnapshot& host) const;

  host::Collector& collector_;
  mutable std::mutex mutex_;  // guards everything below
  core::Expectations expect_;
  std::optional<core::ProcessLimits> limits_;
  core::PortHistory history_;
  core::ResourceHistory resources_;
  Watching* watching_ = nullptr;
  Bursts* bursts_ = nullptr;
  core::TrailRecorder trails_;
  std::function<std::shared_ptr<const Probes>()> probes_;
  std::shared_ptr<const core::HostSnapshot> at_start_;
  Look baseline_;
  Look next_baseline_;
  std::shared_ptr<const Observation> last_;
  bool stale_ = false;  // the diagnosis was made with other expectations
};

}  // namespace rdmadiag::daemon
