#include "agent/cli/ping_peer.h"

#include <utility>

#include "agent/cli/observe.h"
#include "config/load.h"
#include "probes/control_message.h"
#include "probes/endpoint.h"

namespace rdmadiag::cli {
namespace {

using probes::AgentEndpoints;
using probes::RnicEndpoint;

struct OwnPort {
  std::string device;
  std::uint32_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;
};

core::Result<AgentEndpoints> ask_endpoints(const AgentClient& agent) {
  const auto body = agent.get("/api/v1/endpoints");
  if (!body) return tl::make_unexpected(body.error());
  auto endpoints = probes::decode_endpoints(*body);
  if (!endpoints) return core::fail(agent.name() + ": " + endpoints.error().message());
  return endpoints;
}

std::vector<OwnPort> own_ports(const core::HostSnapshot& host, const std::string& device) {
  std::vector<OwnPort> ports;
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr || (!device.empty() && entry.name != device)) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      if (port.is_active()) ports.push_back({entry.name, port.number, entry.snapshot->protocol});
    }
  }
  return ports;
}

// The first pair of ports that speak the same protocol, the peer's that answers datagrams.
core::Result<std::pair<OwnPort, RnicEndpoint>> choose(const std::vector<OwnPort>& own,
                                                      const AgentEndpoints& peer,
                                                      const std::string& device) {
  std::string problem = "it has no RDMA NIC" + (device.empty() ? "" : " " + device);
  for (const RnicEndpoint& rnic : peer.rnics) {
    if (!device.empty() && rnic.device != device) continue;
    if (rnic.qpn == 0) {
      problem = rnic.device + ": " +
                (rnic.problem.empty() ? "it answers no datagrams (iWARP has none)" : rnic.problem);
      continue;
    }
    for (const OwnPort& port : own) {
      if (port.protocol == rnic.protocol) return std::pair(port, rnic);
    }
    problem = "no active port here is " + std::string(core::protocol_name(rnic.protocol)) +
              ", as its " + rnic.device;
  }
  return core::fail(peer.host + " cannot be probed: " + problem);
}

core::Result<probes::ProbeKey> find_key(const std::string& file, const config::Probes& config) {
  const std::string path = file.empty() ? config.key_file : file;
  if (path.empty() && config.insecure) return probes::insecure_key();
  if (path.empty())
    return core::fail("no key: set probes.key_file in the daemon's configuration, or --key-file");
  const auto keys = probes::read_key_file(path);
  if (!keys) return tl::make_unexpected(keys.error());
  if (keys->empty()) return core::fail(path + ": no key");
  return keys->front();
}

}  // namespace

core::Result<PingRequest> make_ping_request(const Context& context, const PingWishes& wishes) {
  const auto loaded = config::load_config(context.world.config_file);
  const config::Probes config = loaded ? loaded->probes : config::Probes{};
  const auto key = find_key(wishes.key_file, config);
  if (!key) return tl::make_unexpected(key.error());

  const std::size_t scheme = wishes.peer.find("://");
  const std::size_t slash = wishes.peer.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  const AgentClient agent(context.world,
                          {.address = wishes.peer.substr(0, slash), .tls = wishes.tls});
  const std::string device = slash == std::string::npos ? "" : wishes.peer.substr(slash + 1);
  const auto endpoints = ask_endpoints(agent);
  if (!endpoints) return tl::make_unexpected(endpoints.error());

  const auto observer = open_observer(context, {});
  if (!observer) return tl::make_unexpected(observer.error());
  const auto seen = (*observer)->observe();
  if (!seen) return tl::make_unexpected(seen.error());
  const auto ports = own_ports(*seen->host, wishes.device);
  if (ports.empty()) return core::fail("no active RDMA port here to probe from");
  const auto pair = choose(ports, *endpoints, device);
  if (!pair) return tl::make_unexpected(pair.error());

  PingRequest request;
  request.device = pair->first.device;
  request.port = static_cast<std::uint8_t>(pair->first.port);
  request.peer = probes::nic_name(endpoints->host, pair->second.device, pair->second.port);
  request.endpoint = pair->second.target(endpoints->epoch);
  request.key = *key;
  const std::int64_t dscp = wishes.dscp.value_or(static_cast<int>(config.ud.dscp));
  request.traffic_class = static_cast<std::uint8_t>(dscp << 2);
  return request;
}

}  // namespace rdmadiag::cli
