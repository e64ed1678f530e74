#include "agent/daemon/rnic_options.h"

namespace rdmadiag::daemon {

std::string host_label(const config::Config& config, const std::string& name) {
  const auto found = config.labels.find(name);
  return found == config.labels.end() ? std::string() : found->second;
}

probes::RnicOptions make_rnic_options(const config::Config& config, const std::string& hostname,
                                      std::uint32_t epoch, const core::DeviceSnapshot& device,
                                      std::uint32_t port) {
  const config::UdProbes& ud = config.probes.ud;
  const config::RcProbes& rc = config.probes.rc;
  const auto traffic_class = static_cast<std::uint8_t>(ud.dscp << 2);
  const auto rail = config.rails.find(device.name);
  probes::RnicOptions options;
  options.host = hostname;
  options.device = {.name = device.name, .node_guid = device.node_guid};
  options.port = static_cast<std::uint8_t>(port);
  // Of the whole device, unlike the others: no datagram is ever to be sent by it.
  if (device.protocol == core::Protocol::kIwarp) options.protocol = core::Protocol::kIwarp;
  options.leaf = host_label(config, "leaf");
  options.rail = rail == config.rails.end() ? host_label(config, "rail") : rail->second;
  options.pod = host_label(config, "pod");

  options.datagrams.epoch = epoch;
  options.datagrams.limits.timeout = ud.timeout;
  options.datagrams.labels = static_cast<std::uint32_t>(ud.labels);
  options.datagrams.traffic_class = traffic_class;
  options.datagrams.max_rate = kMaxProbeRatePerRnic;

  options.connections.nic = probes::nic_name(hostname, device.name, port);
  options.connections.epoch = epoch;
  options.connections.interval = rc.interval;
  options.connections.max_connections = rc.enabled ? static_cast<std::size_t>(rc.connections) : 0;
  options.connections.traffic_class = traffic_class;
  options.connections.operation = static_cast<probes::RcOperation>(rc.op);

  options.acceptor.epoch = epoch;
  options.acceptor.one_sided = rc.op != config::RcOperation::kSend;
  options.acceptor.traffic_class = traffic_class;
  if (!rc.enabled) options.acceptor.max_connections = 0;
  return options;
}

}  // namespace rdmadiag::daemon
