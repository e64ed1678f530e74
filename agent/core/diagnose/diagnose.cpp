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

std::vector<Subject> unreadable_ports(const Evidence& evidence) {
  std::vector<Subject> ports;
  for (const DeviceView& device : device_views(evidence)) {
    for (const PortView& port : port_views(device)) {
      if (is_unreadable(*device.now, *port.now)) ports.push_back(port.subject());
    }
  }
  return ports;
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence) {
  Report report(evidence.list_unknown);
  check_link(evidence, report);
  check_wire(evidence, report);
  check_counters(evidence, report);
  check_queues(evidence, report);
  check_lossless(evidence, report);
  check_addressing(evidence, report);
  check_addresses(evidence, report);
  check_host(evidence, report);
  check_access(evidence, report);
  check_probes(evidence, report);
  check_inventory(evidence, report);
  Diagnosis diagnosis = report.take();
  diagnosis.any_device =
      std::any_of(evidence.now->devices.begin(), evidence.now->devices.end(),
                  [](const DeviceEntry& entry) { return entry.snapshot != nullptr; });
  diagnosis.unreadable = unreadable_ports(evidence);
  return diagnosis;
}

}  // namespace rdmadiag::core
