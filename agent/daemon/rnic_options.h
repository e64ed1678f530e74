// How one port is probed and probes, from the configuration.
#pragma once

#include <cstdint>
#include <string>

#include "agent/core/snapshot.h"
#include "config/config.h"
#include "probes/verbs/rnic.h"

namespace rdmadiag::daemon {

// Ceilings, whatever is configured: of one RNIC, and of all of a host together.
inline constexpr double kMaxProbeRatePerRnic = 200;
inline constexpr double kMaxProbeRate = 2000;

// Empty when there is no such label.
[[nodiscard]] std::string host_label(const config::Config& config, const std::string& name);

[[nodiscard]] probes::RnicOptions make_rnic_options(const config::Config& config,
                                                    const std::string& hostname,
                                                    std::uint32_t epoch,
                                                    const core::DeviceSnapshot& device,
                                                    std::uint32_t port);

}  // namespace rdmadiag::daemon
