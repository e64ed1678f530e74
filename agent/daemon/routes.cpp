#include "agent/daemon/routes.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <tl/expected.hpp>

#include "agent/core/version.h"
#include "agent/daemon/bench.h"
#include "agent/daemon/mesh_report.h"
#include "agent/daemon/probing.h"
#include "exporters/html.h"
#include "exporters/html_pair.h"
#include "exporters/json.h"
#include "exporters/prometheus.h"
#include "exporters/text_pool.h"
#include "probes/control_message.h"
#include "probes/mesh_message.h"

namespace rdmadiag::daemon {
namespace {

using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpResponse;
using exporters::json_response;
using exporters::text_response;

constexpr const char* kExpositionType = "text/plain; version=0.0.4; charset=utf-8";

HttpResponse response(std::string content_type, std::shared_ptr<const std::string> body) {
  return {.status = 200,
          .content_type = std::move(content_type),
          .body = std::move(body),
          .headers = {}};
}

HttpResponse response(std::string content_type, std::string body) {
  return response(std::move(content_type), std::make_shared<const std::string>(std::move(body)));
}

tl::expected<exporters::SourceSet, HttpResponse> requested_sources(const HttpRequest& request) {
  exporters::SourceSet sources;
  for (const std::string_view name : request.query_values("collect[]")) {
    const auto source = core::parse_source(name);
    if (source) {
      sources.set(static_cast<std::size_t>(*source));
      continue;
    }
    std::string known = "unknown source in collect[]; known are:";
    for (std::size_t i = 0; i < core::kSourceCount; ++i)
      known.append(" ").append(core::source_name(static_cast<core::Source>(i)));
    return tl::make_unexpected(text_response(400, known + '\n'));
  }
  return sources;
}

// Remote names in every series only where they are few.
bool wants_per_peer(config::PerPeerSeries when, const core::AgentStatus& agent) {
  constexpr std::size_t kSmallMesh = 64;
  if (when != config::PerPeerSeries::kAuto) return when == config::PerPeerSeries::kAlways;
  std::size_t targets = 0;
  for (const core::ProbeSnapshot& probes : agent.probes) targets += probes.peers.size();
  return targets <= kSmallMesh;
}

// Nothing when `observe` gives none.
std::optional<HttpResponse> serve_metrics(
    const RouteParts& parts, const HttpRequest& request, exporters::TextPool& pool,
    const std::function<std::shared_ptr<const Observation>()>& observe) {
  const auto sources = requested_sources(request);
  if (!sources) return sources.error();
  const auto observation = observe();
  if (!observation) return std::nullopt;
  const auto config = parts.config.get();
  const core::AgentStatus agent = make_agent_status(parts, *observation);
  const exporters::MetricsOptions options{
      .sources = *sources,
      .per_peer_series = wants_per_peer(config->probes.ud.per_peer_series, agent),
      .node_exporter = config->compat.node_exporter};
  auto text = pool.take();
  exporters::render_prometheus(*observation->host, agent, options, *text);
  return response(kExpositionType, std::move(text));
}

// Most hosts are read and shown in a millisecond or two: waking another thread for it would be a
// good part of the work.
std::optional<HttpResponse> try_serve_metrics(const RouteParts& parts, const HttpRequest& request,
                                              exporters::TextPool& pool) {
  constexpr std::chrono::milliseconds kPatience{5};
  constexpr std::size_t kLongText = 256 * 1024;
  if (pool.longest() > kLongText) return std::nullopt;
  return serve_metrics(parts, request, pool, [&] { return parts.observer.try_observe(kPatience); });
}

// For what people read.
core::AgentStatus explained_status(const RouteParts& parts, const Observation& observation) {
  core::AgentStatus status = make_agent_status(parts, observation);
  status.diagnosis = parts.observer.explain(observation);
  return status;
}

HttpResponse page_response(std::string body) {
  HttpResponse page = response("text/html; charset=utf-8", std::move(body));
  page.headers = {{"Content-Security-Policy", std::string(exporters::kPagePolicy)}};
  return page;
}

HttpResponse serve_page(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  const core::AgentStatus agent = explained_status(parts, *observation);
  return page_response(exporters::render_page({.now = *observation->host,
                                               .at_start = observation->at_start.get(),
                                               .previous = observation->before.get(),
                                               .agent = agent,
                                               .trails = observation->trails}));
}

// device=, port= and peer= of one probed pair.
HttpResponse serve_pair(const RouteParts& parts, const HttpRequest& request) {
  const auto asked = [&](std::string_view name) {
    const auto values = request.query_values(name);
    return values.size() == 1 ? std::string(values[0]) : std::string();
  };
  const HttpResponse unknown = text_response(404, "no such pair is probed\n");
  const auto probing = parts.probing.get();
  if (probing == nullptr) return unknown;
  for (const core::ProbeSnapshot& rnic : probing->snapshots()) {
    if (rnic.device != asked("device") || std::to_string(rnic.port) != asked("port")) continue;
    const auto peer = std::ranges::find(rnic.peers, asked("peer"), &core::ProbePeer::peer);
    if (peer == rnic.peers.end()) continue;
    const auto history = probing->history(rnic.device, rnic.port, peer->peer);
    return page_response(exporters::render_pair({.rnic = rnic, .peer = *peer, .history = history}));
  }
  return unknown;
}

HttpResponse serve_snapshot(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  return json_response(exporters::render_json(
      *observation->host, explained_status(parts, *observation), exporters::JsonLayout::kCompact));
}

HttpResponse serve_findings(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  return json_response(exporters::render_json(explained_status(parts, *observation).diagnosis,
                                              exporters::JsonLayout::kCompact));
}

HttpResponse with_probing(const RouteParts& parts,
                          const std::function<std::string(const Probing&)>& answer) {
  const auto probing = parts.probing.get();
  if (probing == nullptr) return text_response(503, "no probing on this host\n");
  if (!probing->has_looked()) return text_response(503, "starting\n");
  return json_response(answer(*probing));
}

HttpResponse serve_endpoints(const RouteParts& parts) {
  return with_probing(
      parts, [](const Probing& probing) { return probes::encode_endpoints(probing.endpoints()); });
}

HttpResponse serve_probes(const RouteParts& parts) {
  return with_probing(
      parts, [](const Probing& probing) { return probes::encode_mesh(make_mesh_report(probing)); });
}

HttpResponse serve_pinglist(const RouteParts& parts) {
  return with_probing(parts, [](const Probing& probing) {
    return probes::encode_pinglist(make_pinglist_report(probing));
  });
}

HttpResponse serve_rc(const RouteParts& parts, const HttpRequest& request) {
  const auto probing = parts.probing.get();
  if (probing == nullptr) return text_response(503, "no probing on this host\n");
  const auto offer = probes::decode_rc_offer(request.body);
  if (!offer) return text_response(400, offer.error().message() + '\n');
  const auto answer = probing->accept(*offer);
  if (!answer) return text_response(409, answer.error().message() + '\n');
  return json_response(probes::encode_rc_parameters(*answer));
}

HttpResponse serve_ready(const RouteParts& parts) {
  return parts.ready ? text_response(200, "ready\n") : text_response(503, "starting\n");
}

// For what must be answered also while every worker waits for a device.
exporters::HttpRoute at_once(std::string path, const exporters::HttpHandler& handler) {
  return {HttpMethod::kGet, std::move(path), handler,
          [handler](const HttpRequest& request) { return std::optional(handler(request)); }};
}

HttpResponse serve_reload(const RouteParts& parts) {
  const auto problems = parts.reloader.reload();
  if (problems.empty()) return text_response(200, "configuration reloaded\n");
  std::string text = "configuration not reloaded:\n";
  for (const std::string& problem : problems) text += problem + '\n';
  return text_response(500, text);
}

}  // namespace

core::AgentStatus make_agent_status(const RouteParts& parts, const Observation& observation) {
  const ReloadState reload = parts.reloader.state();
  core::AgentStatus status;
  status.version = core::kVersion;
  status.revision = core::kRevision;
  status.config_reload_successful = reload.successful;
  status.config_reloaded_at = reload.succeeded_at;
  if (parts.web_config_taken != nullptr)
    status.web_config_reload_successful = parts.web_config_taken->load();
  status.process = parts.process.read();
  status.ports = observation.ports;
  status.bursts = parts.observer.bursts();
  status.diagnosis = observation.diagnosis;
  if (observation.probes) status.probes = *observation.probes;
  return status;
}

std::vector<exporters::HttpRoute> make_routes(const RouteParts& parts, Lifecycle lifecycle) {
  const auto style = std::make_shared<const std::string>(exporters::page_style());
  const auto script = std::make_shared<const std::string>(exporters::page_script());
  const auto pool = std::make_shared<exporters::TextPool>();
  std::vector<exporters::HttpRoute> routes = {
      {HttpMethod::kGet, "/", [parts](const HttpRequest&) { return serve_page(parts); }},
      {HttpMethod::kGet, "/pair",
       [parts](const HttpRequest& request) { return serve_pair(parts, request); }},
      {HttpMethod::kGet, "/style.css",
       [style](const HttpRequest&) {
         return HttpResponse{.content_type = "text/css; charset=utf-8",
                             .body = style,
                             .headers = {{"Cache-Control", "max-age=3600"}}};
       }},
      {HttpMethod::kGet, "/page.js",
       [script](const HttpRequest&) {
         return HttpResponse{.content_type = "text/javascript; charset=utf-8",
                             .body = script,
                             .headers = {{"Cache-Control", "max-age=3600"}}};
       }},
      {HttpMethod::kGet, "/api/v1/snapshot",
       [parts](const HttpRequest&) { return serve_snapshot(parts); }},
      {HttpMethod::kGet, "/api/v1/findings",
       [parts](const HttpRequest&) { return serve_findings(parts); }},
      {HttpMethod::kGet, "/api/v1/endpoints",
       [parts](const HttpRequest&) { return serve_endpoints(parts); }},
      {HttpMethod::kGet, "/api/v1/probes",
       [parts](const HttpRequest&) { return serve_probes(parts); }},
      {HttpMethod::kGet, "/api/v1/pinglist",
       [parts](const HttpRequest&) { return serve_pinglist(parts); }},
      {HttpMethod::kPost, "/api/v1/rc",
       [parts](const HttpRequest& request) { return serve_rc(parts, request); }},
      {HttpMethod::kGet, "/metrics",
       [parts, pool](const HttpRequest& request) {
         return *serve_metrics(parts, request, *pool,
                               [&parts] { return parts.observer.observe(); });
       },
       [parts, pool](const HttpRequest& request) {
         return try_serve_metrics(parts, request, *pool);
       }},
      at_once("/-/healthy", [](const HttpRequest&) { return text_response(200, "healthy\n"); }),
      at_once("/-/ready", [parts](const HttpRequest&) { return serve_ready(parts); }),
  };
  for (exporters::HttpRoute& route : bench_routes(parts.bench)) routes.push_back(std::move(route));
  if (lifecycle == Lifecycle::kEnabled)
    routes.push_back({HttpMethod::kPost, "/-/reload",
                      [parts](const HttpRequest&) { return serve_reload(parts); }});
  return routes;
}

}  // namespace rdmadiag::daemon
