// What the writers of the single metric families share. Internal to the Prometheus exporter.
#pragma once

#include <string>
#include <vector>

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"
#include "exporters/exposition.h"
#include "exporters/prometheus.h"

namespace rdmadiag::exporters {

struct DeviceView {
  const core::DeviceEntry* entry = nullptr;
  const core::DeviceSnapshot* device = nullptr;  // null when stuck or vanished
  std::string labels;                            // device="…"
};

struct PortView {
  const core::DeviceSnapshot* device = nullptr;
  const core::PortSnapshot* port = nullptr;
  const core::PortStatus* status = nullptr;  // null when the agent knows nothing of it yet
  std::string labels;                        // device="…",port="…"
};

struct NetdevView {
  const core::DeviceEntry* entry = nullptr;
  const core::DeviceSnapshot* device = nullptr;
  const core::NetdevSnapshot* netdev = nullptr;
  std::string labels;  // device="…",netdev="…"
};

// `labels` with one more.
[[nodiscard]] std::string with_label(const std::string& labels, std::string_view name,
                                     std::string_view value);

// One host's devices, ports and netdevs with their labels, in the snapshot's order.
struct HostView {
  HostView(const core::HostSnapshot& snapshot, const core::AgentStatus& agent_status,
           const MetricsOptions& metrics_options);

  [[nodiscard]] bool wants(core::Source source) const {
    return options.sources.none() || options.sources.test(static_cast<std::size_t>(source));
  }

  const core::HostSnapshot& host;
  const core::AgentStatus& agent;
  const MetricsOptions& options;
  std::vector<DeviceView> devices;
  std::vector<PortView> ports;
  std::vector<NetdevView> netdevs;
};

[[nodiscard]] double unix_seconds(core::SystemTime time);

void write_agent_families(const HostView& view, Exposition& out);
void write_device_families(const HostView& view, Exposition& out);
void write_port_families(const HostView& view, Exposition& out);
void write_netdev_families(const HostView& view, Exposition& out);
void write_dcb_families(const HostView& view, Exposition& out);
void write_ethtool_families(const HostView& view, Exposition& out);
void write_burst_families(const HostView& view, Exposition& out);
void write_probe_families(const HostView& view, Exposition& out);
void write_counter_families(const HostView& view, Exposition& out);

}  // namespace rdmadiag::exporters
