// What the daemon serves, as handlers over its parts. No handler waits longer than a read of the
// kernel's deadline.
#pragma once

#include <atomic>
#include <vector>

#include "agent/daemon/observer.h"
#include "agent/daemon/process_stats.h"
#include "agent/daemon/published.h"
#include "agent/daemon/reloader.h"
#include "config/config.h"
#include "exporters/http_message.h"

namespace rdmadiag::probes {
class BenchService;
}

namespace rdmadiag::daemon {

class ProbingSlot;

// All outlive the server that runs the handlers.
struct RouteParts {
  Observer& observer;
  Reloader& reloader;
  const std::atomic<bool>* web_config_taken;  // at its last change; null when there is none
  const ProcessReader& process;
  const Published<config::Config>& config;
  const std::atomic<bool>& ready;
  const ProbingSlot& probing;
  probes::BenchService& bench;
};

enum class Lifecycle { kDisabled, kEnabled };

[[nodiscard]] std::vector<exporters::HttpRoute> make_routes(const RouteParts& parts,
                                                            Lifecycle lifecycle);

[[nodiscard]] core::AgentStatus make_agent_status(const RouteParts& parts,
                                                  const Observation& observation);

}  // namespace rdmadiag::daemon
