#include "exporters/prometheus.h"

#include <chrono>

#include "exporters/families.h"
#include "exporters/node_exporter_compat.h"

namespace rdmadiag::exporters {

HostView::HostView(const core::HostSnapshot& snapshot, const core::AgentStatus& agent_status,
                   const MetricsOptions& metrics_options)
    : host(snapshot), agent(agent_status), options(metrics_options) {
  devices.reserve(host.devices.size());
  for (const core::DeviceEntry& entry : host.devices) {
    DeviceView device{.entry = &entry, .device = entry.snapshot.get(), .labels = {}};
    append_label(device.labels, "device", entry.name);
    if (device.device != nullptr) {
      for (const core::PortSnapshot& port : device.device->ports) {
        PortView view{.device = device.device,
                      .port = &port,
                      .status = agent.find_port(entry.name, port.number),
                      .labels = device.labels};
        append_label(view.labels, "port", std::to_string(port.number));
        ports.push_back(std::move(view));
      }
      for (const core::NetdevSnapshot& netdev : device.device->netdevs) {
        netdevs.push_back({.entry = &entry,
                           .device = device.device,
                           .netdev = &netdev,
                           .labels = with_label(device.labels, "netdev", netdev.name)});
      }
    }
    devices.push_back(std::move(device));
  }
}

std::string with_label(const std::string& labels, std::string_view name, std::string_view value) {
  constexpr std::size_t kMarks = 8;  // room for what stands around names and values
  std::string result;
  result.reserve(labels.size() + name.size() + value.size() + kMarks);
  result = labels;
  append_label(result, name, value);
  return result;
}

double unix_seconds(core::SystemTime time) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch());
  return static_cast<double>(whole.count()) / 1000.0;
}

void render_prometheus(const core::HostSnapshot& host, const core::AgentStatus& agent,
                       const MetricsOptions& options, std::string& out) {
  const HostView view(host, agent, options);
  Exposition exposition(out);
  write_agent_families(view, exposition);
  write_device_families(view, exposition);
  write_port_families(view, exposition);
  write_netdev_families(view, exposition);
  write_dcb_families(view, exposition);
  write_ethtool_families(view, exposition);
  write_counter_families(view, exposition);
  write_burst_families(view, exposition);
  write_probe_families(view, exposition);
  if (options.node_exporter) write_node_exporter_families(view, exposition);
}

}  // namespace rdmadiag::exporters
