#include "agent/cli/ping_peer.h"

#include <utility>

#include "agent/cli/observe.h"
#include "agent/core/active_ports.h"
#include "config/load.h"
#include "probes/control_message.h"

namespace rdmadiag::cli {
namespace {

using probes::AgentEndpoints;
using probes::RnicEndpoint;

config::Probes configured_probes(const World& world) {
  const auto loaded = config::load_config(world.config_file);
  return loaded ? loaded->probes : config::Probes{};
}

core::Result<AgentEndpoints> ask_endpoints(const AgentClient& agent) {
  const auto body = agent.get("/api/v1/endpoints");
  if (!body) return tl::make_unexpected(body.error());
  auto endpoints = probes::decode_endpoints(*body);
  if (!endpoints) return core::fail(agent.name() + ": " + endpoints.error().message());
  return endpoints;
}

// Why this NIC of the peer cannot be probed; empty when it can.
std::string obstacle(const RnicEndpoint& rnic, PingKind kind) {
  if (kind == PingKind::kDatagrams && rnic.qpn == 0) {
    return rnic.device + ": " +
           (rnic.problem.empty() ? "it answers no datagrams (iWARP has none): try --rc"
                                 : rnic.problem);
  }
  return rnic.problem.empty() ? std::string() : rnic.device + ": " + rnic.problem;
}

// The first pair of ports that speak the same protocol.
core::Result<std::pair<OwnPort, RnicEndpoint>> choose(const std::vector<OwnPort>& own,
                                                      const AgentEndpoints& peer,
                                                      const std::string& device, PingKind kind) {
  std::string problem = "it has no RDMA NIC" + (device.empty() ? "" : " " + device);
  for (const RnicEndpoint& rnic : peer.rnics) {
    if (!device.empty() && rnic.device != device) continue;
    if (std::string why = obstacle(rnic, kind); !why.empty()) {
      problem = std::move(why);
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

}  // namespace

core::Result<std::vector<OwnPort>> active_ports(const Context& context, const std::string& device) {
  const auto observer = open_observer(context, {});
  if (!observer) return tl::make_unexpected(observer.error());
  const auto seen = (*observer)->observe();
  if (!seen) return tl::make_unexpected(seen.error());
  std::vector<OwnPort> ports;
  for (const auto& [entry, port] : core::active_ports(*seen->host, device)) {
    ports.push_back({entry->name, port->number, entry->snapshot->protocol});
  }
  if (ports.empty()) {
    return core::fail("no active RDMA port here" +
                      (device.empty() ? std::string() : ", on " + device));
  }
  return ports;
}

core::Result<std::vector<probes::ProbeKey>> shared_keys(const World& world,
                                                        const std::string& file) {
  const config::Probes config = configured_probes(world);
  const std::string path = file.empty() ? config.key_file : file;
  if (path.empty() && config.insecure) return std::vector{probes::insecure_key()};
  if (path.empty())
    return core::fail("no key: set probes.key_file in the daemon's configuration, or --key-file");
  auto keys = probes::read_key_file(path);
  if (keys && keys->empty()) return core::fail(path + ": no key");
  return keys;
}

core::Result<PingPeer> find_ping_peer(const Context& context, const PingWishes& wishes,
                                      PingKind kind) {
  const auto [address, device] = parse_named_nic(wishes.peer);
  AgentClient agent(context.world, {.address = address, .tls = wishes.tls});
  const auto endpoints = ask_endpoints(agent);
  if (!endpoints) return tl::make_unexpected(endpoints.error());
  const auto ports = active_ports(context, wishes.device);
  if (!ports) return tl::make_unexpected(ports.error());
  const auto pair = choose(*ports, *endpoints, device, kind);
  if (!pair) return tl::make_unexpected(pair.error());

  const std::int64_t dscp =
      wishes.dscp.value_or(static_cast<int>(configured_probes(context.world).ud.dscp));
  return PingPeer{
      .agent = std::move(agent),
      .path = {.device = pair->first.device,
               .port = static_cast<std::uint8_t>(pair->first.port),
               .peer = probes::nic_name(endpoints->host, pair->second.device, pair->second.port),
               .remote = pair->second,
               .remote_epoch = endpoints->epoch,
               .traffic_class = static_cast<std::uint8_t>(dscp << 2)}};
}

}  // namespace rdmadiag::cli
