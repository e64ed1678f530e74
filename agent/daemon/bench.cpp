#include "agent/daemon/bench.h"

#include <utility>

#include "agent/core/active_ports.h"
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

std::vector<probes::BenchPort> bench_ports(const core::HostSnapshot& host) {
  std::vector<probes::BenchPort> ports;
  for (const auto& [device, port] : core::active_ports(host)) {
    ports.push_back(
        {device->name, static_cast<std::uint8_t>(port->number), device->snapshot->protocol});
  }
  return ports;
}

HttpResponse to_http(probes::BenchResponse answer) {
  if (answer.status != 200) return exporters::text_response(answer.status, std::move(answer.body));
  return exporters::json_response(std::move(answer.body));
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
    return devices == BenchDevices::kHere ? bench_ports(*observer.observe()->host)
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
