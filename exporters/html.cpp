#include "exporters/html.h"

#include "exporters/html_mesh.h"
#include "exporters/html_sections.h"

namespace rdmadiag::exporters {
namespace {

void write_footer(const core::AgentStatus& agent, HtmlWriter& out) {
  out.markup(
      "<footer>\n<nav aria-label=\"Other formats\"><a href=\"metrics\">Prometheus metrics</a>"
      " <a href=\"api/v1/snapshot\">JSON snapshot</a></nav>\n<p>rdmadiag ");
  out.text(agent.version);
  if (!agent.revision.empty()) out.text(" (" + agent.revision + ")");
  if (!agent.config_reload_successful) {
    out.markup(
        " <strong class=\"bad\">the last reload of the configuration failed; the former is "
        "in use</strong>");
  }
  out.markup("</p>\n</footer>\n");
}

}  // namespace

void write_header(const PageInput& input, HtmlWriter& out) {
  const Verdict verdict = host_verdict(input.now, input.agent);
  out.markup("<header>\n");
  out.element("h1", input.now.hostname.empty() ? "RDMA" : input.now.hostname);
  out.markup("\n<p class=\"verdict ");
  out.markup(wellness_class(verdict.wellness));
  out.markup("\" role=\"status\">");
  out.text(verdict.text);
  out.markup("</p>\n<p class=\"facts\">");
  out.text(host_counts(input.now));
  if (!input.now.kernel_release.empty()) out.text(" · Linux " + input.now.kernel_release);
  out.markup(" · read at ");
  out.time(input.now.taken_at);
  out.markup("</p>\n</header>\n");
}

void open_page(std::string_view title, std::string_view skip, HtmlWriter& out) {
  out.markup(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  out.text(title);
  out.markup(
      "</title>\n<link rel=\"stylesheet\" href=\"style.css\">\n"
      "<script src=\"page.js\" defer></script>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#main\">");
  out.text(skip);
  out.markup("</a>\n");
}

std::string render_page(const PageInput& input) {
  HtmlWriter out;
  open_page(input.now.hostname.empty() ? "rdmadiag" : input.now.hostname + " · rdmadiag",
            "Skip to the findings", out);
  write_header(input, out);
  out.markup("<main id=\"main\">\n");
  write_findings(input.agent.diagnosis, out);
  write_ports(input, out);
  write_mesh(input.agent, out);
  write_moving_counters(input, out);
  write_bursts(input.agent, out);
  write_devices(input, out);
  write_sources(input, out);
  out.markup("</main>\n");
  write_footer(input.agent, out);
  out.markup("</body>\n</html>\n");
  return out.take();
}

void write_rest(std::size_t rows, HtmlWriter& out) {
  if (rows <= kMaxPageRows) return;
  out.element("p", "and " + grouped(rows - kMaxPageRows) + " more, not shown here", "rest");
  out.markup("\n");
}

}  // namespace rdmadiag::exporters
