#include "agent/daemon/routes.h"

#include <tl/expected.hpp>

#include "agent/core/version.h"
#include "exporters/html.h"
#include "exporters/json.h"
#include "exporters/prometheus.h"

namespace rdmadiag::daemon {
namespace {

using exporters::HttpMethod;
using exporters::HttpRequest;
using exporters::HttpResponse;
using exporters::text_response;

constexpr const char* kExpositionType = "text/plain; version=0.0.4; charset=utf-8";
constexpr const char* kJsonType = "application/json";

HttpResponse response(std::string content_type, std::string body) {
  return {.status = 200,
          .content_type = std::move(content_type),
          .body = std::make_shared<const std::string>(std::move(body)),
          .headers = {}};
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

HttpResponse serve_metrics(const RouteParts& parts, const HttpRequest& request) {
  const auto sources = requested_sources(request);
  if (!sources) return sources.error();
  const auto observation = parts.observer.observe();
  const exporters::MetricsOptions options{
      .sources = *sources, .node_exporter = parts.config.get()->compat.node_exporter};
  std::string text;
  exporters::render_prometheus(*observation->host, make_agent_status(parts, *observation), options,
                               text);
  return response(kExpositionType, std::move(text));
}

HttpResponse serve_page(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  const core::AgentStatus agent = make_agent_status(parts, *observation);
  HttpResponse page = response("text/html; charset=utf-8",
                               exporters::render_page({.now = *observation->host,
                                                       .at_start = observation->at_start.get(),
                                                       .previous = observation->before.get(),
                                                       .agent = agent}));
  page.headers = {{"Content-Security-Policy", std::string(exporters::kPagePolicy)}};
  return page;
}

HttpResponse serve_snapshot(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  return response(kJsonType,
                  exporters::render_json(*observation->host, make_agent_status(parts, *observation),
                                         exporters::JsonLayout::kCompact));
}

HttpResponse serve_findings(const RouteParts& parts) {
  const auto observation = parts.observer.observe();
  return response(kJsonType,
                  exporters::render_json(observation->diagnosis, exporters::JsonLayout::kCompact));
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
  const auto style = std::make_shared<const std::string>(exporters::page_style());
  std::vector<exporters::HttpRoute> routes = {
      {HttpMethod::kGet, "/", [parts](const HttpRequest&) { return serve_page(parts); }},
      {HttpMethod::kGet, "/style.css",
       [style](const HttpRequest&) {
         return HttpResponse{.content_type = "text/css; charset=utf-8",
                             .body = style,
                             .headers = {{"Cache-Control", "max-age=3600"}}};
       }},
      {HttpMethod::kGet, "/api/v1/snapshot",
       [parts](const HttpRequest&) { return serve_snapshot(parts); }},
      {HttpMethod::kGet, "/api/v1/findings",
       [parts](const HttpRequest&) { return serve_findings(parts); }},
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
