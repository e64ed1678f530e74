#include "agent/daemon/routes.h"

#include <tl/expected.hpp>

#include "agent/core/version.h"
#include "exporters/prometheus.h"

namespace rdmadiag::daemon {
namespace {

using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpResponse;
using exporters::text_response;

constexpr const char* kExpositionType = "text/plain; version=0.0.4; charset=utf-8";

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

HttpResponse serve_metrics(const RouteParts& parts, const HttpRequest& request) {
  const auto sources = requested_sources(request);
  if (!sources) return sources.error();
  const auto observation = parts.observer.observe();
  const exporters::MetricsOptions options{
      .sources = *sources, .node_exporter = parts.config.get()->compat.node_exporter};
  std::string text;
  exporters::render_prometheus(*observation->host, make_agent_status(parts, *observation), options,
                               text);
  return {.status = 200,
          .content_type = kExpositionType,
          .body = std::make_shared<const std::string>(std::move(text)),
          .headers = {}};
}

HttpResponse serve_ready(const RouteParts& parts) {
  return parts.ready ? text_response(200, "ready\n") : text_response(503, "starting\n");
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
  status.process = parts.process.read();
  status.ports = observation.ports;
  status.diagnosis = observation.diagnosis;
  return status;
}

std::vector<exporters::HttpRoute> make_routes(const RouteParts& parts, Lifecycle lifecycle) {
  std::vector<exporters::HttpRoute> routes = {
      {HttpMethod::kGet, "/metrics",
       [parts](const HttpRequest& request) { return serve_metrics(parts, request); }},
      {HttpMethod::kGet, "/-/healthy",
       [](const HttpRequest&) { return text_response(200, "healthy\n"); }},
      {HttpMethod::kGet, "/-/ready", [parts](const HttpRequest&) { return serve_ready(parts); }},
  };
  if (lifecycle == Lifecycle::kEnabled)
    routes.push_back({HttpMethod::kPost, "/-/reload",
                      [parts](const HttpRequest&) { return serve_reload(parts); }});
  return routes;
}

}  // namespace rdmadiag::daemon
