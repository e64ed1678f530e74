#include "agent/cli/bench_sweep.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "agent/cli/agent_client.h"
#include "agent/cli/observe.h"
#include "agent/cli/place.h"
#include "config/load.h"
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

struct Target {
  std::vector<std::string> urls;  // in the order in which they are tried
  std::string device;
};

bool names_port(const std::string& agent) {
  const std::size_t bracket = agent.rfind(']');
  const std::size_t colon = agent.rfind(':');
  return colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
}

Target target_of(const World& world, const std::string& peer) {
  const std::size_t scheme = peer.find("://");
  const std::size_t slash = peer.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  const std::string agent = peer.substr(0, slash);
  const auto url = [&world](const std::string& address) {
    return AgentClient(world, {.address = address}).url();
  };
  Target target{.urls = {url(agent)},
                .device = slash == std::string::npos ? "" : peer.substr(slash + 1)};
  if (scheme == std::string::npos && !names_port(agent)) {
    target.urls.push_back(url(agent + ":" + std::to_string(kBenchPort)));
  }
  return target;
}

probes::HttpClientOptions client_options(const World& world) {
  probes::HttpClientOptions options;
  options.timeout = kCallWithin;
  if (const auto config = config::load_config(world.config_file)) {
    const config::ClientTls& tls = config->peers.tls;
    options.tls = {.ca_file = tls.ca_file, .cert_file = tls.cert_file, .key_file = tls.key_file};
  }
  return options;
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

core::Result<std::unique_ptr<BenchClient>> open_at(const Target& target, probes::HttpClient& http,
                                                   const Context& context,
                                                   const probes::BenchClientOptions& options) {
  core::Result<std::unique_ptr<BenchClient>> client = core::fail("no address");
  std::optional<core::Error> first;
  for (const std::string& url : target.urls) {
    client = BenchClient::open(
        {.clock = std::make_shared<core::SystemClock>(),
         .random = probes::random_from_system(),
         .post = [&http, url](const std::string& path,
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
  bool is_there = false;
  for (const core::DeviceEntry& entry : seen->host->devices) {
    if (entry.snapshot == nullptr || (!device.empty() && entry.name != device)) continue;
    is_there = true;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      if (!port.is_active()) continue;
      ports.push_back({.nic = probes::nic_name(seen->host->hostname, entry.name, port.number),
                       .device = entry.name,
                       .port = port.number,
                       .protocol = entry.snapshot->protocol,
                       .mtu_bytes = port.active_mtu_bytes.value_or(0),
                       .line_rate = std::nullopt});
      if (port.rate) ports.back().line_rate = port.rate->bits_per_second;
    }
  }
  if (!ports.empty()) return ports;
  if (!device.empty()) {
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
  const Target target = target_of(context.world, wishes.peer);
  options.device = port.device;
  options.port = static_cast<std::uint8_t>(port.port);
  options.peer_device = target.device;
  options.plan = wishes.plan;
  options.plan.largest = sizes.back();
  options.placement = wishes.placement;
  options.from = port.nic;
  if (auto good = probes::check_bench_plan(options.plan, port.protocol, port.mtu_bytes); !good) {
    return tl::make_unexpected(good.error());
  }
  const probes::StopEvent never;
  probes::HttpClient http(client_options(context.world), never);
  auto client = open_at(target, http, context, options);
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
