#include "agent/cli/bench_sweep.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "agent/cli/agent_client.h"
#include "agent/cli/observe.h"
#include "agent/cli/place.h"
#include "agent/core/active_ports.h"
#include "probes/bench/client.h"
#include "probes/endpoint.h"
#include "probes/http_client.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using probes::BenchClient;
using probes::BenchMetric;

constexpr auto kPoll = 20ms;
constexpr auto kCallWithin = 8s;  // the peer's handlers wait five seconds and less

// The agents that may be meant, in the order in which they are tried.
std::vector<AgentClient> agents_at(const World& world, const std::string& address) {
  std::vector<AgentClient> agents = {AgentClient(world, {.address = address, .tls = {}})};
  if (!names_port(address)) {
    agents.push_back(agents.front().other(address + ":" + std::to_string(kBenchPort)));
  }
  return agents;
}

std::vector<std::uint32_t> sizes_of(const BenchWishes& wishes, int mtu_bytes) {
  if (!wishes.sizes.empty()) return wishes.sizes;
  std::vector<std::uint32_t> sizes = probes::parse_bench_sizes("2..1M").value();
  if (wishes.plan.transport != probes::BenchTransport::kUd) return sizes;
  const auto most =
      static_cast<std::uint32_t>(probes::bench_mtu(wishes.plan, mtu_bytes > 0 ? mtu_bytes : 1024));
  std::erase_if(sizes, [most](std::uint32_t size) { return size > most; });
  return sizes;
}

// One line that is written over, where a person looks on.
class Progress {
 public:
  Progress(const Context& context, std::size_t steps)
      : context_(context), steps_(steps), on_(context.world.out_is_terminal) {}
  ~Progress() {
    if (on_) context_.err() << "\r\x1b[K" << std::flush;
  }
  void step(BenchMetric metric, std::uint32_t size) {
    ++step_;
    if (!on_) return;
    context_.err() << "\r\x1b[K" << probes::kBenchMetricNames.at(static_cast<std::size_t>(metric))
                   << " of " << probes::bench_size_name(size) << " (" << step_ << " of " << steps_
                   << ")" << std::flush;
  }

 private:
  const Context& context_;
  std::size_t steps_;
  std::size_t step_ = 0;
  bool on_;
};

void add(const probes::BenchMeasurement& measured, BenchRow& row) {
  if (measured.latency) row.latency = measured.latency;
  if (!measured.bandwidth) return;
  row.bandwidth = measured.bandwidth;
  if (measured.received && measured.bandwidth->messages > 0) {
    row.received_ratio = std::min(1.0, static_cast<double>(*measured.received) /
                                           static_cast<double>(measured.bandwidth->messages));
  }
  if (!measured.peer_bandwidth) return;
  row.peer_bandwidth = measured.peer_bandwidth;
  row.bandwidth->average += measured.peer_bandwidth->average;
  row.bandwidth->peak += measured.peer_bandwidth->peak;
  row.bandwidth->rate += measured.peer_bandwidth->rate;
  row.bandwidth->messages += measured.peer_bandwidth->messages;
  row.bandwidth->bytes += measured.peer_bandwidth->bytes;
}

// Measures until all is done or something fails.
void sweep(BenchClient& client, const std::vector<std::uint32_t>& sizes, const BenchWishes& wishes,
           const Context& context, BenchRun& run) {
  std::vector<BenchMetric> metrics;
  if (wishes.latency) metrics.push_back(BenchMetric::kLatency);
  if (wishes.bandwidth) metrics.push_back(BenchMetric::kBandwidth);
  Progress progress(context, sizes.size() * metrics.size());
  for (const std::uint32_t size : sizes) {
    BenchRow row{.size = size};
    for (const BenchMetric metric : metrics) {
      progress.step(metric, size);
      const auto measured = client.measure(metric, size, wishes.limit);
      if (!measured) {
        const bool interrupted = measured.error().code == std::errc::operation_canceled;
        run.problem = interrupted ? "interrupted" : measured.error().message();
        break;
      }
      add(*measured, row);
    }
    if (row.latency || row.bandwidth) run.rows.push_back(row);
    if (!run.problem.empty()) return;
  }
}

core::Result<std::unique_ptr<BenchClient>> open_at(const std::vector<AgentClient>& agents,
                                                   probes::HttpClient& http, const Context& context,
                                                   const probes::BenchClientOptions& options) {
  core::Result<std::unique_ptr<BenchClient>> client = core::fail("no address");
  std::optional<core::Error> first;
  for (const AgentClient& agent : agents) {
    client = BenchClient::open(
        {.clock = std::make_shared<core::SystemClock>(),
         .random = probes::random_from_system(),
         .post = [&http, url = agent.url()](
                     const std::string& path,
                     const std::string& json) { return http.post_json(url + path, json); },
         .wait = [&context] { return context.world.wait(kPoll); }},
        options);
    if (client) return client;
    // The agent's refusal says more than that nobody listens on the other port.
    const bool nobody = client.error().code == std::errc::connection_refused;
    if (!nobody || !first) first = client.error();
    const bool refused = client.error().message().find("HTTP status 403") != std::string::npos;
    if (!nobody && !refused) break;
  }
  if (first->code == std::errc::connection_refused) {
    return core::fail(first->message() + ": no agent and no `rdmadiag bench --server` there");
  }
  return tl::make_unexpected(*first);
}

// Before minutes are spent on a sweep that the peer will end.
core::Status check_time(const BenchWishes& wishes, std::size_t sizes, std::uint32_t most_seconds) {
  const std::size_t figures = sizes * ((wishes.latency ? 1 : 0) + (wishes.bandwidth ? 1 : 0));
  const double seconds =
      std::chrono::duration<double>(wishes.limit.duration).count() * static_cast<double>(figures);
  if (seconds < most_seconds) return {};
  return core::fail("the sweep takes " + std::to_string(std::lround(seconds)) +
                    " s, and the peer allows " + std::to_string(most_seconds) +
                    " s (bench.max_seconds): name fewer sizes or a shorter --duration");
}

}  // namespace

core::Result<std::vector<OwnBenchPort>> own_bench_ports(const Context& context,
                                                        const std::string& device) {
  const auto observer = open_observer(context, {});
  if (!observer) return tl::make_unexpected(observer.error());
  const auto seen = (*observer)->observe();
  if (!seen) return tl::make_unexpected(seen.error());
  std::vector<OwnBenchPort> ports;
  for (const auto& [entry, port] : core::active_ports(*seen->host, device)) {
    ports.push_back({.nic = probes::nic_name(seen->host->hostname, entry->name, port->number),
                     .device = entry->name,
                     .port = port->number,
                     .protocol = entry->snapshot->protocol,
                     .mtu_bytes = port->active_mtu_bytes.value_or(0),
                     .line_rate = std::nullopt});
    if (port->rate) ports.back().line_rate = port->rate->bits_per_second;
  }
  if (!ports.empty()) return ports;
  if (!device.empty()) {
    const bool is_there =
        std::ranges::any_of(seen->host->devices, [&device](const core::DeviceEntry& entry) {
          return entry.snapshot != nullptr && entry.name == device;
        });
    return core::fail(is_there ? "no port of " + device + " is active"
                               : "there is no RDMA device " + device);
  }
  return core::fail("no active RDMA port here");
}

core::Result<BenchRun> run_sweep(const Context& context, const BenchWishes& wishes) {
  const auto ports = own_bench_ports(context, wishes.device);
  if (!ports) return tl::make_unexpected(ports.error());
  const OwnBenchPort& port = ports->front();
  const std::vector<std::uint32_t> sizes = sizes_of(wishes, port.mtu_bytes);
  probes::BenchClientOptions options;
  const auto [address, peer_device] = parse_named_nic(wishes.peer);
  const std::vector<AgentClient> agents = agents_at(context.world, address);
  options.device = port.device;
  options.port = static_cast<std::uint8_t>(port.port);
  options.peer_device = peer_device;
  options.plan = wishes.plan;
  options.plan.largest = sizes.back();
  options.placement = wishes.placement;
  options.from = port.nic;
  if (auto good = probes::check_bench_plan(options.plan, port.protocol, port.mtu_bytes); !good) {
    return tl::make_unexpected(good.error());
  }
  const probes::StopEvent never;
  probes::HttpClientOptions calling;
  calling.tls = agents.front().tls();
  calling.timeout = kCallWithin;
  probes::HttpClient http(std::move(calling), never);
  auto client = open_at(agents, http, context, options);
  if (!client) return tl::make_unexpected(client.error());

  if (auto allowed = check_time(wishes, sizes.size(), (*client)->peer().most_seconds); !allowed) {
    return tl::make_unexpected(allowed.error());
  }
  BenchRun run{
      .peer = wishes.peer,
      .peer_device = (*client)->peer().device,
      .peer_placement = (*client)->peer().placement,
      .device = port.device,
      .port = port.port,
      .protocol = std::string(core::protocol_name(port.protocol)),
      .placement = (*client)->placement(),
      .mtu_bytes = probes::bench_mtu(options.plan, (*client)->port().info.active_mtu_bytes),
      .inline_bytes = (*client)->inline_bytes(),
      .line_rate = port.line_rate,
      .plan = options.plan,
      .rows = {},
      .problem = {}};
  sweep(**client, sizes, wishes, context, run);
  if (run.rows.empty()) return core::fail(run.problem);
  return run;
}

}  // namespace rdmadiag::cli
