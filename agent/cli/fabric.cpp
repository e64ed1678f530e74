// `rdmadiag fabric`: the InfiniBand subnet this host is on. Sends MADs, so it needs a umad device
// and is never done unasked.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <fstream>

#include "agent/cli/commands.h"
#include "agent/cli/fabric_json.h"
#include "agent/cli/observe.h"
#include "agent/host/fabric/read_fabric.h"
#include "exporters/paint.h"
#include "exporters/table.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using exporters::Cell;

struct FabricCommand {
  host::FabricOptions read;
  double interval_seconds = 0;
  int timeout_seconds = 30;
  bool textfile = false;
};

int exit_code(const core::Fabric& fabric, const std::vector<core::FabricFinding>& findings) {
  auto worst = core::FindingSeverity::kInfo;
  for (const auto& finding : findings) worst = std::max(worst, finding.severity);
  if (worst == core::FindingSeverity::kCritical) return kExitCritical;
  if (worst == core::FindingSeverity::kWarning) return kExitWarning;
  return fabric.missing.empty() ? kExitFine : kExitUnknown;
}

void print_text(const core::Fabric& fabric, const std::vector<core::FabricFinding>& findings,
                Context& context) {
  const exporters::TerminalStyle& style = context.world.style;
  const auto switches = std::count_if(fabric.nodes.begin(), fabric.nodes.end(),
                                      [](const core::FabricNode& node) { return node.is_switch; });
  context.out() << fmt::format("{} switches, {} other nodes\n\n", switches,
                               static_cast<std::ptrdiff_t>(fabric.nodes.size()) - switches);
  exporters::Table links({{.title = "NODE", .least_width = 10},
                          {.title = "PORT", .align = exporters::Align::kRight},
                          {.title = "LINK"},
                          {.title = "STATE"},
                          {.title = "NEIGHBOUR", .least_width = 10},
                          {.title = "PORT", .align = exporters::Align::kRight}});
  for (const core::FabricNode& node : fabric.nodes) {
    for (const core::FabricPort& port : node.ports) {
      if (port.number == 0 || port.physical_state != core::kPhysStateLinkUp) continue;
      const core::FabricNode* other = fabric.find(port.neighbour_guid);
      links.add_row({Cell(node.description.empty() ? guid_text(node.guid) : node.description),
                     Cell(std::to_string(port.number)), Cell(core::fabric_link_text(port.active)),
                     Cell(core::port_state_name(port.state)),
                     Cell(other == nullptr ? "" : other->description),
                     Cell(port.neighbour_guid == 0 ? "" : std::to_string(port.neighbour_port))});
    }
  }
  context.out() << links.render(style);
  for (const core::FabricFinding& finding : findings) {
    context.out() << "\n"
                  << exporters::wrapped(
                         fmt::format("{}  {}: {} ({})", core::severity_name(finding.severity),
                                     finding.subject, finding.found, finding.rule),
                         10, style)
                  << "\n"
                  << exporters::wrapped("          expected " + finding.expected, 10, style)
                  << "\n";
  }
  for (const std::string& what : fabric.missing) {
    context.err() << "rdmadiag: " << exporters::terminal_text(what, style) << "\n";
  }
}

// A label value as the exposition format wants it.
std::string label(std::string_view value) {
  std::string out;
  for (const char c : exporters::printable(value)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// For node_exporter's textfile collector: one metric, the counter's name as a label.
void print_textfile(const core::Fabric& fabric, Context& context) {
  context.out() << "# HELP rdma_fabric_port_counter Port counter by its sysfs name, read by MAD.\n"
                << "# TYPE rdma_fabric_port_counter untyped\n";
  for (const core::FabricNode& node : fabric.nodes) {
    for (const core::FabricPort& port : node.ports) {
      for (const auto& [name, value] : port.counters) {
        context.out() << fmt::format(
            "rdma_fabric_port_counter{{guid=\"{}\",node=\"{}\",port=\"{}\",counter=\"{}\"}} {}\n",
            guid_text(node.guid), label(node.description), port.number, name, value);
      }
    }
  }
}

int show(const FabricCommand& command, Context& context) {
  host::FabricOptions read = command.read;
  read.deadline = std::chrono::seconds(command.timeout_seconds);
  auto first = host::read_fabric(read, *context.world.clock);
  if (!first) return report_failure(context, first.error());
  std::optional<core::Fabric> second;
  if (command.interval_seconds > 0) {
    const std::chrono::duration<double> interval(command.interval_seconds);
    if (!context.world.wait(std::chrono::duration_cast<std::chrono::nanoseconds>(interval))) {
      return kExitUnknown;
    }
    auto again = host::read_fabric(read, *context.world.clock);
    if (!again) return report_failure(context, again.error());
    second = std::move(*again);
  }
  const core::Fabric& now = second ? *second : *first;
  const auto findings = core::judge_fabric(now, second ? &*first : nullptr);
  if (command.textfile) {
    print_textfile(now, context);
  } else if (context.options.json) {
    context.out() << render_fabric_json(now, findings);
  } else {
    print_text(now, findings, context);
  }
  return exit_code(now, findings);
}

}  // namespace

Action define_fabric(CLI::App& app) {
  auto command = std::make_shared<FabricCommand>();
  app.add_option("--ca", command->read.device, "Start at this device (default: the first ACTIVE)")
      ->type_name("DEVICE");
  app.add_option("--ca-port", command->read.port, "and at this port of it")
      ->check(CLI::Range(0, 255))
      ->type_name("PORT");
  app.add_option("--interval", command->interval_seconds,
                 "Look twice, this many seconds apart, and count errors in between")
      ->check(CLI::Range(0.0, 3600.0))
      ->type_name("SECONDS");
  app.add_option("--timeout", command->timeout_seconds,
                 "Give up on counters after this many seconds (default 30)")
      ->check(CLI::Range(1, 3600))
      ->type_name("SECONDS");
  app.add_flag("--textfile", command->textfile,
               "Print counters for node_exporter's textfile collector");
  return [command](Context& context) { return show(*command, context); };
}

}  // namespace rdmadiag::cli
