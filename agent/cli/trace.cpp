// `rdmadiag trace`: which routers each flow label passes on its way to a peer, and which labels
// share a way.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agent/cli/agent_client.h"
#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/trace_socket.h"
#include "agent/core/gid.h"
#include "config/load.h"
#include "exporters/utf8.h"
#include "probes/control_message.h"
#include "probes/flow_label.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;
using probes::TracedHop;
using probes::TracedPath;

constexpr std::uint32_t kHighestLabel = 0xfffff;

struct Options {
  std::string peer;    // "HOST[:PORT][/DEVICE]"
  AgentChoice agent;   // how to ask it; its address comes from the peer
  std::string to;      // an address instead of a peer
  std::string device;  // ours
  std::vector<std::uint32_t> labels;
  std::uint32_t count = 8;
  std::optional<int> hops;
  std::optional<int> dscp;
};

struct Target {
  std::string name;
  TraceEnds ends;
};

// "10.0.0.1" of "::ffff:10.0.0.1".
std::string address_of(const core::Gid& gid) {
  const std::string text = core::format_gid(gid);
  return core::is_ipv4_mapped(gid) ? text.substr(text.rfind(':') + 1) : text;
}

// The address of ours that the NIC would send from, of the same family as the peer's.
std::string own_address(const core::HostSnapshot& host, const std::string& device,
                        const core::Gid& peer) {
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot || (!device.empty() && entry.name != device)) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      if (!port.is_active() || port.link_layer != core::LinkLayer::kEthernet) continue;
      const auto chosen = core::choose_gid(port.gids, entry.snapshot->protocol).entry;
      if (chosen && core::is_ipv4_mapped(chosen->gid) == core::is_ipv4_mapped(peer))
        return address_of(chosen->gid);
    }
  }
  return "";
}

core::Result<Target> find_target(const Options& options, const Context& context) {
  if (!options.to.empty()) return Target{options.to, {.to = options.to}};
  const std::size_t scheme = options.peer.find("://");
  const std::size_t slash = options.peer.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  const std::string agent = options.peer.substr(0, slash);
  const std::string device = slash == std::string::npos ? "" : options.peer.substr(slash + 1);
  AgentChoice choice = options.agent;
  choice.address = agent;
  const AgentClient client(context.world, choice);
  const auto body = client.get("/api/v1/endpoints");
  if (!body) return tl::make_unexpected(body.error());
  const auto endpoints = probes::decode_endpoints(*body);
  if (!endpoints) return core::fail(client.name() + ": " + endpoints.error().message());
  for (const probes::RnicEndpoint& rnic : endpoints->rnics) {
    if (!device.empty() && rnic.device != device) continue;
    if (rnic.protocol != core::Protocol::kRoce || core::is_zero(rnic.gid)) continue;
    const auto observer = open_observer(context, {});
    if (!observer) return tl::make_unexpected(observer.error());
    const auto seen = (*observer)->observe();
    if (!seen) return tl::make_unexpected(seen.error());
    const std::string own = own_address(*seen->host, options.device, rnic.gid);
    if (own.empty()) return core::fail("no active RoCE port here has an address to trace from");
    return Target{probes::nic_name(endpoints->host, rnic.device, rnic.port),
                  {.from = own, .to = address_of(rnic.gid)}};
  }
  return core::fail(endpoints->host + " has no RoCE NIC" + (device.empty() ? "" : " " + device) +
                    " with an address: only routed RoCE can be traced");
}

// Those that this host's own agent probes the peer with, where it runs; any others serve as well.
std::vector<std::uint32_t> choose_labels(const Options& options, const std::string& peer,
                                         const World& world) {
  if (!options.labels.empty()) return options.labels;
  std::set<std::uint32_t> known;
  if (const auto report = options.to.empty() ? ask_report(AgentClient(world, {}))
                                             : core::Result<core::MeshReport>()) {
    for (const core::ProbeSnapshot& probes : report->probes) {
      for (const core::PathRecord& path : probes.paths) {
        if (path.peer < probes.path_peers.size() && probes.path_peers[path.peer] == peer)
          known.insert(path.label);
      }
    }
  }
  std::vector<std::uint32_t> labels(known.begin(), known.end());
  for (std::uint32_t n = 0; labels.empty() && n < options.count; ++n)
    labels.push_back(probes::probe_label(0, n));
  labels.resize(std::min<std::size_t>(labels.size(), options.count));
  while (labels.size() < options.count && known.empty())
    labels.push_back(probes::probe_label(0, static_cast<std::uint32_t>(labels.size())));
  return labels;
}

std::string hop_text(const TracedHop& hop) {
  if (!hop.answer) return "no answer";
  return hop.answer->from + " (" +
         short_time(std::chrono::duration<double>(hop.answer->rtt).count()) + ")";
}

void print_path(const TracedPath& path, const Context& context) {
  std::string line = "label " + std::to_string(path.label) + ", source port " +
                     std::to_string(path.source_port) + ":";
  for (const TracedHop& hop : path.hops) line += " " + hop_text(hop) + ",";
  line += path.problem.empty() ? " peer" : " " + path.problem;
  context.out() << exporters::wrapped(line, 2, context.world.style) << "\n" << std::flush;
}

void print_summary(const std::vector<TracedPath>& paths, const Context& context) {
  const auto groups = probes::shared_paths(paths);
  for (const auto& group : groups) {
    std::string labels;
    for (const std::uint32_t label : group)
      labels += (labels.empty() ? "" : ", ") + std::to_string(label);
    context.out() << exporters::wrapped(group.size() == 1
                                            ? "label " + labels + " has a way of its own"
                                            : "labels " + labels + " share one way",
                                        2, context.world.style)
                  << "\n";
  }
  std::size_t clear = 0;
  for (const auto& group : groups) clear += group.size();
  if (clear < paths.size()) {
    context.out() << paths.size() - clear << " of " << paths.size()
                  << " ways have gaps: whether they are shared cannot be told\n";
  }
}

json path_json(const TracedPath& path) {
  json hops = json::array();
  for (const TracedHop& hop : path.hops) {
    hops.push_back(
        hop.answer ? json{{"router", hop.answer->from},
                          {"rtt_seconds", std::chrono::duration<double>(hop.answer->rtt).count()}}
                   : json::object());
  }
  return {{"label", path.label},
          {"source_port", path.source_port},
          {"hops", hops},
          {"problem", path.problem}};
}

void print_json(const Target& target, int hops, const std::vector<TracedPath>& paths,
                const Context& context) {
  json list = json::array();
  for (const TracedPath& path : paths) list.push_back(path_json(path));
  context.out() << json{{"schema_version", 1},
                        {"peer", exporters::valid_utf8(target.name)},
                        {"address", target.ends.to},
                        {"distance", hops},
                        {"paths", list},
                        {"shared", probes::shared_paths(paths)}}
                       .dump(2)
                << "\n";
}

int trace(const Options& options, Context& context) {
  auto target = find_target(options, context);
  if (!target) return report_failure(context, target.error());
  const auto loaded = config::load_config(context.world.config_file);
  const auto usual = static_cast<int>((loaded ? *loaded : config::Config{}).probes.ud.dscp);
  target->ends.traffic_class = options.dscp.value_or(usual) << 2;
  const auto network = context.world.trace(target->ends);
  if (!network) return report_failure(context, network.error());

  probes::PathTrace tracer(**network, *context.world.clock, context.world.wait);
  constexpr int kTries = 2;
  const auto hops = options.hops ? core::Result<int>(*options.hops) : tracer.distance(kTries);
  if (!hops) return report_failure(context, hops.error());
  const bool as_text = !context.options.json;
  if (as_text) {
    context.out() << exporters::wrapped("TRACE " + target->name + " (" + target->ends.to + "), " +
                                            std::to_string(*hops) +
                                            (*hops == 1 ? " hop away" : " hops away"),
                                        2, context.world.style)
                  << "\n";
    if (*hops == 1) context.out() << "no router is on the way; switches do not show themselves\n";
  }
  std::vector<TracedPath> paths;
  if (*hops > 1) {
    for (const std::uint32_t label : choose_labels(options, target->name, context.world)) {
      auto path = tracer.trace(label, *hops, kTries);
      if (!path) break;
      if (as_text) print_path(*path, context);
      paths.push_back(std::move(*path));
    }
  }
  if (as_text) {
    print_summary(paths, context);
  } else {
    print_json(*target, *hops, paths, context);
  }
  const bool any_gap = std::any_of(paths.begin(), paths.end(),
                                   [](const TracedPath& path) { return !path.is_complete(); });
  return any_gap || (paths.empty() && *hops > 1) ? kExitUnknown : kExitFine;
}

}  // namespace

Action define_trace(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::Option* peer = app.add_option(
      "peer", options->peer, "The peer's agent, and which of its NICs: HOST[:PORT][/DEVICE]");
  peer->type_name("PEER");
  const auto is_address = [](const std::string& text) {
    return is_ip_address(text) ? std::string() : "'" + text + "' is no IP address";
  };
  app.add_option("--to", options->to, "An IP address of a RoCE NIC, instead of a peer's agent")
      ->check(CLI::Validator(is_address, "", "address"))
      ->type_name("ADDRESS")
      ->excludes(peer);
  app.add_option("--label", options->labels,
                 "A flow label to follow; may be repeated (those of the probes unless said)")
      ->allow_extra_args(false)
      ->type_name("N")
      ->check(CLI::Range(1U, kHighestLabel));
  app.add_option("--labels", options->count, "How many labels to follow, 8 unless said")
      ->type_name("N")
      ->check(CLI::Range(1U, 256U));
  app.add_option("--hops", options->hops, "How far the peer is; found out unless said")
      ->type_name("N")
      ->check(CLI::Range(1, probes::PathTrace::kMostHops));
  add_tls_options(app, options->agent.tls);
  app.add_option("--device", options->device, "Our device (the first that fits unless said)")
      ->type_name("DEVICE");
  app.add_option("--dscp", options->dscp, "Of the packets; the daemon's unless said")
      ->type_name("N")
      ->check(CLI::Range(0, 63));
  return [options](Context& context) {
    if (options->peer.empty() && options->to.empty()) {
      context.err() << "rdmadiag: trace wants a PEER, or an address with --to\n";
      return kExitUsage;
    }
    return trace(*options, context);
  };
}

}  // namespace rdmadiag::cli
