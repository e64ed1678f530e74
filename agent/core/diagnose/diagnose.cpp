#include "agent/core/diagnose/diagnose.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "agent/core/diagnose/missing.h"
#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {

std::string_view group_name(RuleGroup group) {
  switch (group) {
    case RuleGroup::kLink: return "link";
    case RuleGroup::kTransport: return "transport";
    case RuleGroup::kQueues: return "queues";
    case RuleGroup::kLossless: return "lossless";
    case RuleGroup::kAddressing: return "addressing";
    case RuleGroup::kHost: return "host";
    case RuleGroup::kProbes: return "probes";
    case RuleGroup::kInventory: return "inventory";
  }
  return "unknown";
}

const Rule* find_rule(std::string_view id) {
  const std::span<const Rule> rules = all_rules();
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

void Report::add(std::string_view rule, const Subject& subject, std::string found,
                 std::string expected) {
  add(rule, subject, find_rule(rule)->severity, std::move(found), std::move(expected));
}

void Report::add(std::string_view rule, const Subject& subject, FindingSeverity severity,
                 std::string found, std::string expected) {
  const Rule* spec = find_rule(rule);
  diagnosis_.findings.push_back({.rule = std::string(rule),
                                 .severity = severity,
                                 .subject = subject,
                                 .found = std::move(found),
                                 .expected = std::move(expected),
                                 .meaning = std::string(spec->meaning),
                                 .next_step = std::string(spec->next_step)});
}

void Report::could_not_tell(std::string_view rule, const Subject& subject,
                            std::string_view reason) {
  if (!list_unknown_) return;
  diagnosis_.unknown.push_back({std::string(rule), subject, std::string(reason)});
}

Diagnosis Report::take() {
  std::stable_sort(diagnosis_.findings.begin(), diagnosis_.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return std::move(diagnosis_);
}

namespace {

// Devices that are named in sysfs and lead nowhere, or may not be looked at.
void add_hidden_devices(const HostSnapshot& host, std::vector<Subject>& found) {
  constexpr std::string_view kClass = "class/infiniband/";
  for (const ReadIssue& issue : host.issues) {
    const std::size_t at = issue.path.find(kClass);
    const bool is_hidden =
        issue.reason == IssueReason::kEnoent || issue.reason == IssueReason::kEperm;
    if (issue.source != Source::kSysfsPort || !is_hidden || at == std::string::npos) continue;
    found.push_back({.device = issue.path.substr(at + kClass.size()), .port = 0, .netdev = ""});
  }
}

std::vector<Subject> unreadable(const Comparison& seen) {
  std::vector<Subject> found;
  add_hidden_devices(*seen.evidence.now, found);
  for (const DeviceView& device : seen.devices()) {
    if (device.ports.empty()) found.push_back(device.subject());
    for (const PortView& port : device.ports) {
      if (is_unreadable(*device.now, *port.now)) found.push_back(port.subject());
    }
  }
  return found;
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence) {
  const Comparison seen(evidence);
  Report report(evidence.list_unknown);
  check_link(seen, report);
  check_wire(seen, report);
  check_counters(seen, report);
  check_queues(seen, report);
  check_lossless(seen, report);
  check_addressing(seen, report);
  check_addresses(seen, report);
  check_host(seen, report);
  check_access(seen, report);
  check_probes(seen, report);
  check_inventory(seen, report);
  Diagnosis diagnosis = report.take();
  diagnosis.any_device =
      std::any_of(evidence.now->devices.begin(), evidence.now->devices.end(),
                  [](const DeviceEntry& entry) { return entry.snapshot != nullptr; });
  diagnosis.unreadable = unreadable(seen);
  return diagnosis;
}

}  // namespace rdmadiag::core
