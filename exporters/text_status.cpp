#include <algorithm>

#include "exporters/paint.h"
#include "exporters/text.h"
#include "exporters/words.h"

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kMaxFindings = 12;  // one screen

Cell verdict_cell(const Verdict& verdict) { return {verdict.text, paint_of(verdict.wellness)}; }

Cell rules_cell(const std::vector<const core::Finding*>& findings) {
  auto worst = Wellness::kGood;
  for (const core::Finding* finding : findings) {
    worst = std::max(worst, wellness_of(finding->severity));
  }
  return {rules_text(findings), paint_of(worst)};
}

void add_ports(Table& table, const core::DeviceSnapshot& device, const core::AgentStatus& agent) {
  bool is_first = true;
  for (const core::PortSnapshot& port : device.ports) {
    auto findings = findings_of(agent.diagnosis, device.name, port.number);
    if (is_first) {
      const auto of_device = findings_of(agent.diagnosis, device.name, 0);
      findings.insert(findings.end(), of_device.begin(), of_device.end());
    }
    is_first = false;
    table.add_row({Cell(device.name), Cell(std::to_string(port.number)),
                   verdict_cell(port_state(port)), Cell(port_rate(port)),
                   Cell(expected_rate(agent.find_port(device.name, port.number))),
                   Cell(port.netdev), rules_cell(findings)});
  }
  if (is_first) {
    table.add_row({Cell(device.name), Cell(), Cell("no port", Paint::kFaint), Cell(), Cell(),
                   Cell(), rules_cell(findings_of(agent.diagnosis, device.name, 0))});
  }
}

Table port_table(const core::HostSnapshot& host, const core::AgentStatus& agent) {
  Table table({{.title = "DEVICE", .least_width = 8},
               {.title = "PORT"},
               {.title = "STATE", .least_width = 10},
               {.title = "RATE", .least_width = 8},
               {.title = "EXPECTED"},
               {.title = "NETDEV", .least_width = 6},
               {.title = "WRONG", .least_width = 12}});
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot) {
      add_ports(table, *entry.snapshot, agent);
    } else {
      table.add_row({Cell(entry.name), Cell(), verdict_cell(absent_state(entry))});
    }
  }
  return table;
}

// Notes are only counted: one screen is for what is wrong now.
std::string findings_text(const core::Diagnosis& diagnosis, const TerminalStyle& style) {
  core::Diagnosis problems;
  for (const core::Finding& finding : diagnosis.findings) {
    if (finding.severity != core::FindingSeverity::kInfo) problems.findings.push_back(finding);
  }
  std::string out = render_findings(problems, kMaxFindings, FindingDetail::kBrief, style);
  const std::size_t notes = diagnosis.findings.size() - problems.findings.size();
  if (notes > 0) {
    out += std::to_string(notes) + (notes == 1 ? " note" : " notes") + ": rdmadiag check\n";
  }
  return out;
}

std::string issues_text(const core::HostSnapshot& host, const TerminalStyle& style) {
  std::string out;
  const auto add = [&](const std::string& where, const std::vector<core::ReadIssue>& issues) {
    if (issues.empty()) return;
    out += wrapped(where + ": not readable: " + issue_counts(issues), 2, style) + "\n";
  };
  add("discovery", host.issues);
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot) add(entry.name, entry.snapshot->issues);
  }
  return out;
}

}  // namespace

std::string render_status(const core::HostSnapshot& host, const core::AgentStatus& agent,
                          const TerminalStyle& style) {
  const Verdict verdict = host_verdict(host, agent);
  std::string title = host.hostname.empty() ? "this host" : host.hostname;
  if (!host.kernel_release.empty()) title += ", Linux " + host.kernel_release;
  std::string out = painted(title, Paint::kBold, style) + "\n";
  out += wrapped(host_counts(host), 0, style) + "\n";
  out += painted(verdict.text, paint_of(verdict.wellness), style) + "\n";
  const auto append_block = [&](const std::string& block) {
    if (!block.empty()) out += "\n" + block;
  };
  append_block(port_table(host, agent).render(style));
  append_block(findings_text(agent.diagnosis, style));
  append_block(issues_text(host, style));
  return out;
}

}  // namespace rdmadiag::exporters
