#include "agent/daemon/bench.h"

#include <utility>

#include "agent/core/log.h"
#include "probes/bench/client.h"

namespace rdmadiag::daemon {
namespace {

using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpResponse;

probes::BenchPermission permission(const config::Bench& bench) {
  probes::BenchPermission permission;
  permission.enabled = bench.enabled;
  permission.most = std::chrono::seconds(bench.max_seconds);
  permission.most_concurrent = static_cast<std::size_t>(bench.max_concurrent);
  return permission;
}

std::vector<probes::BenchPort> active_ports(const core::HostSnapshot& host) {
  std::vector<probes::BenchPort> ports;
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      if (!port.is_active()) continue;
      ports.push_back(
          {entry.name, static_cast<std::uint8_t>(port.number), entry.snapshot->protocol});
    }
  }
  return ports;
}

HttpResponse to_http(probes::BenchResponse answer) {
  if (answer.status != 200) return exporters::text_response(answer.status, std::move(answer.body));
  return {.status = 200,
          .content_type = "application/json",
          .body = std::make_shared<const std::string>(std::move(answer.body)),
          .headers = {}};
}

}  // namespace

probes::BenchServiceParts make_bench_parts(Observer& observer,
                                           const Published<config::Config>& config,
                                           std::shared_ptr<const core::Clock> clock,
                                           probes::RandomSource random, BenchDevices devices) {
  probes::BenchServiceParts parts;
  parts.clock = std::move(clock);
  parts.random = std::move(random);
  parts.permission = [&config] { return permission(config.get()->bench); };
  parts.ports = [&observer, devices] {
    return devices == BenchDevices::kHere ? active_ports(*observer.observe()->host)
                                          : std::vector<probes::BenchPort>{};
  };
  parts.tell = [](const std::string& line) { core::log_info("benchmark", {{"what", line}}); };
  return parts;
}

std::vector<exporters::HttpRoute> bench_routes(probes::BenchService& service) {
  return {{HttpMethod::kPost, probes::kBenchPath,
           [&service](const HttpRequest& request) { return to_http(service.open(request.body)); }},
          {HttpMethod::kPost, probes::kBenchRunPath,
           [&service](const HttpRequest& request) { return to_http(service.act(request.body)); }}};
}

}  // namespace rdmadiag::daemon
