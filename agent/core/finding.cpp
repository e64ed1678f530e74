#include "agent/core/finding.h"

#include <algorithm>

namespace rdmadiag::core {

std::string_view severity_name(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kInfo: return "info";
    case FindingSeverity::kWarning: return "warning";
    case FindingSeverity::kCritical: return "critical";
  }
  return "unknown";
}

std::string Subject::text() const {
  if (device.empty()) return netdev.empty() ? "host" : netdev;
  std::string text = device;
  if (port != 0) text += " port " + std::to_string(port);
  if (!netdev.empty()) text += " (" + netdev + ")";
  return text;
}

int Diagnosis::exit_code() const {
  const auto at_least = [&](FindingSeverity severity) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& f) { return f.severity >= severity; });
  };
  if (at_least(FindingSeverity::kCritical)) return 2;
  if (at_least(FindingSeverity::kWarning)) return 1;
  return any_device && unreadable.empty() ? 0 : 3;
}

}  // namespace rdmadiag::core
