// The agent as the other end of `rdmadiag bench`: where the configuration allows it, on this host's
// active ports.
#pragma once

#include <memory>

#include "agent/core/clock.h"
#include "agent/daemon/observer.h"
#include "agent/daemon/published.h"
#include "config/config.h"
#include "exporters/http_message.h"
#include "probes/bench/service.h"
#include "probes/random.h"

namespace rdmadiag::daemon {

enum class BenchDevices { kHere, kNone };  // none: a captured tree is looked at

// The references outlive the service. Runs that begin and end are logged.
[[nodiscard]] probes::BenchServiceParts make_bench_parts(Observer& observer,
                                                         const Published<config::Config>& config,
                                                         std::shared_ptr<const core::Clock> clock,
                                                         probes::RandomSource random,
                                                         BenchDevices devices);

// POST /api/v1/bench and /api/v1/bench/run; the server has checked who asks.
[[nodiscard]] std::vector<exporters::HttpRoute> bench_routes(probes::BenchService& service);

}  // namespace rdmadiag::daemon
