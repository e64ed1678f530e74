#include "exporters/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "agent/core/diagnose/evidence.h"

namespace rdmadiag::exporters {
namespace {

using core::FindingSeverity;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

void append_part(std::string& text, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text.append(", ");
  text.append(part);
}

std::string pcie_link(std::optional<int> lanes, std::optional<double> speed) {
  std::string text;
  if (lanes) text = "x" + std::to_string(*lanes);
  if (speed) {
    if (!text.empty()) text.push_back(' ');
    text += core::number_text(*speed / 1e9) + " GT/s";
  }
  return text;
}

template <class Value>
bool is_below(const std::optional<Value>& current, const std::optional<Value>& maximum) {
  return current && maximum && *current < *maximum;
}

}  // namespace

Wellness wellness_of(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::kInfo: return Wellness::kGood;
    case FindingSeverity::kWarning: return Wellness::kWarning;
    case FindingSeverity::kCritical: return Wellness::kBad;
  }
  return Wellness::kUnknown;
}

Verdict host_verdict(const core::HostSnapshot& host, const core::AgentStatus& agent) {
  std::array<std::size_t, 3> counts{};
  for (const core::Finding& finding : agent.diagnosis.findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
  }
  const std::size_t warnings = counts[static_cast<std::size_t>(FindingSeverity::kWarning)];
  const std::size_t criticals = counts[static_cast<std::size_t>(FindingSeverity::kCritical)];
  std::string text;
  if (criticals > 0) append_part(text, counted(criticals, "critical finding", "critical findings"));
  if (warnings > 0) append_part(text, counted(warnings, "warning", "warnings"));
  if (criticals > 0) return {Wellness::kBad, text};
  if (warnings > 0) return {Wellness::kWarning, text};
  if (host.devices.empty()) return {Wellness::kUnknown, no_device_text(host)};
  if (!agent.diagnosis.any_device) return {Wellness::kUnknown, "could not be judged"};
  const std::size_t unreadable = agent.diagnosis.unreadable.size();
  if (unreadable > 0)
    return {Wellness::kUnknown,
            "could not tell: " + counted(unreadable, "device or port", "devices or ports") +
                " not readable"};
  return {Wellness::kGood, "healthy"};
}

std::string no_device_text(const core::HostSnapshot& host) {
  const auto failed = std::find_if(
      host.issues.begin(), host.issues.end(),
      [](const core::ReadIssue& issue) { return issue.source == core::Source::kSysfsPort; });
  if (failed != host.issues.end()) {
    return "no RDMA device can be seen: " + failed->path + " (" +
           std::string(core::reason_name(failed->reason)) + ")";
  }
  const bool was_listed = !host.sources.empty();
  if (was_listed && !host.has_rdma_class) return "no RDMA device: no RDMA driver is loaded";
  return "no RDMA device";
}

std::string host_counts(const core::HostSnapshot& host) {
  std::size_t devices = 0;
  std::size_t ports = 0;
  std::size_t up = 0;
  for (const core::DeviceEntry& entry : host.devices) {
    devices += entry.present ? 1 : 0;
    if (!entry.snapshot) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      ++ports;
      up += port.is_up() ? 1 : 0;
    }
  }
  return counted(devices, "device", "devices") + ", " + counted(ports, "port", "ports") + ", " +
         std::to_string(up) + " up";
}

Verdict port_state(const core::PortSnapshot& port) {
  if (!port.state) return {Wellness::kUnknown, "unknown"};
  const std::string state = core::port_state_name(*port.state);
  if (port.is_up()) return {Wellness::kGood, state};
  const Wellness wellness = port.is_active() ? Wellness::kWarning : Wellness::kBad;
  if (!port.physical_state) return {wellness, state};
  return {wellness, state + "/" + core::physical_state_name(*port.physical_state)};
}

Verdict absent_state(const core::DeviceEntry& entry) {
  if (!entry.present) return {Wellness::kBad, "gone"};
  if (!entry.age) return {Wellness::kBad, "never answered"};
  return {Wellness::kBad, "stuck for " + age_text(*entry.age)};
}

std::string port_rate(const core::PortSnapshot& port) {
  if (!port.is_active() || !port.rate) return {};
  std::string text = core::rate_text(port.rate->bits_per_second);
  if (port.rate->width_lanes) text += " " + std::to_string(*port.rate->width_lanes) + "X";
  if (!port.rate->speed_name.empty()) text += " " + port.rate->speed_name;
  return text;
}

std::string expected_rate(const core::PortStatus* status) {
  if (status == nullptr || !status->expected_bits_per_second) return {};
  return core::rate_text(*status->expected_bits_per_second);
}

std::vector<const core::Finding*> findings_of(const core::Diagnosis& diagnosis,
                                              std::string_view device, std::uint32_t port) {
  std::vector<const core::Finding*> found;
  for (const core::Finding& finding : diagnosis.findings) {
    if (finding.severity == FindingSeverity::kInfo) continue;
    if (finding.subject.device == device && finding.subject.port == port) found.push_back(&finding);
  }
  return found;
}

std::string rules_text(const std::vector<const core::Finding*>& findings) {
  std::string text;
  for (const core::Finding* finding : findings) append_part(text, finding->rule);
  return text;
}

std::string issue_counts(const std::vector<core::ReadIssue>& issues) {
  std::array<std::size_t, core::kIssueReasonCount> counts{};
  for (const core::ReadIssue& issue : issues) ++counts[static_cast<std::size_t>(issue.reason)];
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    append_part(text, std::to_string(counts[i]) + " " +
                          std::string(core::reason_name(static_cast<core::IssueReason>(i))));
  }
  return text;
}

std::string pcie_text(const core::PcieSnapshot& pcie) {
  const std::string current =
      pcie_link(pcie.current_width_lanes, pcie.current_speed_transfers_per_second);
  if (!is_below(pcie.current_width_lanes, pcie.max_width_lanes) &&
      !is_below(pcie.current_speed_transfers_per_second, pcie.max_speed_transfers_per_second)) {
    return current;
  }
  return current + " (of " + pcie_link(pcie.max_width_lanes, pcie.max_speed_transfers_per_second) +
         ")";
}

std::string age_text(std::chrono::nanoseconds age) {
  using namespace std::chrono;
  if (age < seconds(1)) return std::to_string(duration_cast<milliseconds>(age).count()) + " ms";
  if (age < minutes(2)) return std::to_string(duration_cast<seconds>(age).count()) + " s";
  if (age < hours(2)) return std::to_string(duration_cast<minutes>(age).count()) + " min";
  return std::to_string(duration_cast<hours>(age).count()) + " h";
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, " ");
  return text;
}

std::string per_second_text(double per_second, std::string_view metric) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "k", "M", "G", "T"};
  const bool bytes = metric.find("_bytes") != std::string_view::npos;
  double value = per_second;
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.3g", value);
  std::string text(number.data());
  if (bytes || prefix > 0) text.append(" ").append(kPrefixes[prefix]);
  return text.append(bytes ? "B/s" : "/s");
}

}  // namespace rdmadiag::exporters
