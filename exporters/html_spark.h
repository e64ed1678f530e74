// The course of a counter's rate since the start as a small drawing in the page itself, without a
// style of its own: the policy allows none. Internal to the HTML exporter.
#pragma once

#include <span>
#include <string_view>

#include "agent/core/trails.h"
#include "exporters/html_writer.h"

namespace rdmadiag::exporters {

// A table's cell; empty without steps. `scale` makes the metric's base unit of a raw count. Time
// goes from left to right, the highest rate fills the height, and a gap is where the counter fell.
void write_spark_cell(std::span<const core::TrailStep> steps, double scale, std::string_view metric,
                      HtmlWriter& out);

}  // namespace rdmadiag::exporters
