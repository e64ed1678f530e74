#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "exporters/paint.h"
#include "exporters/text.h"

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kIndent = 10;

std::string finding_text(const core::Finding& finding, FindingDetail detail,
                         const TerminalStyle& style) {
  const std::string indent(kIndent, ' ');
  const std::string severity(core::severity_name(finding.severity));
  const std::string head = severity + std::string(kIndent - severity.size(), ' ');
  const std::string line =
      wrapped(head + finding.subject.text() + ": " + finding.found + " (" + finding.rule + ")",
              kIndent, style);
  std::string out = painted(severity, paint_of(wellness_of(finding.severity)), style);
  out += line.substr(severity.size()) + "\n";
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += wrapped(indent + text, kIndent, style) + "\n";
  };
  add(finding.expected.empty() ? "" : "expected " + finding.expected);
  if (detail == FindingDetail::kFull) add(finding.meaning);
  add(finding.next_step);
  return out;
}

// Rules by the reason they could not be judged: one line a reason, however many ports.
std::string unknown_text(const core::Diagnosis& diagnosis, const TerminalStyle& style) {
  std::map<std::string, std::set<std::string>> rules_by_reason;
  for (const core::Unknown& unknown : diagnosis.unknown) {
    rules_by_reason[unknown.reason].insert(unknown.rule);
  }
  std::string out;
  for (const auto& [reason, rules] : rules_by_reason) {
    std::string line = reason + ":";
    for (const std::string& rule : rules) line += " " + rule;
    out += wrapped(line, 2, style) + "\n";
  }
  return out;
}

std::string unreadable_text(const std::vector<core::Subject>& ports, const TerminalStyle& style) {
  std::string line = "Could not be read, so not judged:";
  for (std::size_t i = 0; i < ports.size(); ++i) {
    line += (i == 0 ? " " : ", ") + ports[i].text();
  }
  return wrapped(line + "; see rdmadiag doctor", 2, style) + "\n";
}

}  // namespace

std::string render_findings(const core::Diagnosis& diagnosis, std::size_t limit,
                            FindingDetail detail, const TerminalStyle& style) {
  std::string out;
  const std::size_t shown = std::min(limit, diagnosis.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    out += finding_text(diagnosis.findings[i], detail, style);
  }
  if (shown < diagnosis.findings.size()) {
    out += "and " + std::to_string(diagnosis.findings.size() - shown) + " more: rdmadiag check\n";
  }
  return out;
}

std::string render_diagnosis(const core::Diagnosis& diagnosis, const TerminalStyle& style) {
  std::string out;
  if (!diagnosis.any_device) {
    out = "No RDMA device could be looked at.\n";
  } else if (!diagnosis.unreadable.empty()) {
    out = unreadable_text(diagnosis.unreadable, style);
  } else if (diagnosis.findings.empty()) {
    out = painted("Nothing wrong found.", Paint::kGood, style) + "\n";
  }
  out += render_findings(diagnosis, std::numeric_limits<std::size_t>::max(), FindingDetail::kFull,
                         style);
  if (const std::string unknown = unknown_text(diagnosis, style); !unknown.empty()) {
    out +=
        (out.empty() ? "" : "\n") + painted("Could not tell", Paint::kBold, style) + "\n" + unknown;
  }
  return out;
}

}  // namespace rdmadiag::exporters
