// One self-contained page for a ticket: what the status page shows, and with it GIDs, plots, the
// configuration and the whole snapshot as JSON. It asks for nothing from outside, has no script and
// can be read from a file. Everything that comes from the host is escaped. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "exporters/html.h"

namespace rdmadiag::exporters {

struct ReportInput {
  // In the order of time, the last one being what the report is of; at least one.
  const std::vector<std::shared_ptr<const core::HostSnapshot>>& looks;
  const core::AgentStatus& agent;
  std::string config;  // as text; empty where there is none to show
};

[[nodiscard]] std::string render_report(const ReportInput& input);

}  // namespace rdmadiag::exporters
