// The parts of the status page. Internal to the HTML exporter.
#pragma once

#include "exporters/html.h"
#include "exporters/html_writer.h"

namespace rdmadiag::exporters {

// Up to and into <body>; `skip` is what the link to #main says.
void open_page(std::string_view title, std::string_view skip, HtmlWriter& out);

void write_header(const PageInput& input, HtmlWriter& out);
void write_findings(const core::Diagnosis& diagnosis, HtmlWriter& out);
void write_ports(const PageInput& input, HtmlWriter& out);
// Nothing where nothing is sampled.
void write_bursts(const core::AgentStatus& agent, HtmlWriter& out);
void write_devices(const PageInput& input, HtmlWriter& out);
void write_moving_counters(const PageInput& input, HtmlWriter& out);
void write_sources(const PageInput& input, HtmlWriter& out);

// "and 12 more" below a table that was cut at kMaxPageRows.
void write_rest(std::size_t rows, HtmlWriter& out);

}  // namespace rdmadiag::exporters
