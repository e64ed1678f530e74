#include "agent/core/diagnose/missing.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace rdmadiag::core {
namespace {

constexpr std::string_view kNotOffered = "the driver has no such counter";

// Where a file or folder of counters is: "…/ports/1/hw_counters/NAME", "…/hw_counters".
struct Place {
  CounterSource source = CounterSource::kPortCounters;
  std::string_view port;  // "1", "*" for every one; empty: the device's own
  std::string_view name;  // empty: the folder as a whole
};

// Takes the last part off a path.
std::string_view take_last(std::string_view& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view last = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
  path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  return last;
}

bool is_folder(std::string_view name) {
  return name == "counters" || name == "counters_ext" || name == "hw_counters" ||
         name == "diag_counters";
}

std::optional<Place> place_of(const ReadIssue& issue) {
  if (issue.source != Source::kSysfsCounters && issue.source != Source::kSysfsHwCounters) {
    return std::nullopt;
  }
  std::string_view path = issue.path;
  Place place;
  std::string_view folder = take_last(path);
  if (!is_folder(folder)) {
    place.name = folder;
    folder = take_last(path);
  }
  if (!is_folder(folder)) return std::nullopt;
  const std::string_view port = take_last(path);
  if (take_last(path) == "ports") place.port = port;
  const bool is_hardware = issue.source == Source::kSysfsHwCounters;
  if (is_hardware) {
    place.source =
        place.port.empty() ? CounterSource::kDeviceHwCounters : CounterSource::kPortHwCounters;
  }
  return place;
}

bool is_of_port(const Place& place, std::uint32_t port) {
  if (port == 0) return place.port.empty();
  return place.port == "*" || place.port == std::to_string(port);
}

bool has_metric(const CounterSpec& spec, const MetricSet& metrics) {
  const auto position = static_cast<std::size_t>(spec.metric - all_metrics().data());
  return std::ranges::find(metrics.positions(), position) != metrics.positions().end();
}

bool has_any(const std::vector<CounterSample>& samples, CounterSource source) {
  return std::any_of(samples.begin(), samples.end(),
                     [source](const CounterSample& sample) { return sample.source == source; });
}

const std::vector<CounterSample>& counters_of(const DeviceSnapshot& device, std::uint32_t port) {
  for (const PortSnapshot& candidate : device.ports)
    if (candidate.number == port) return candidate.counters;
  return device.counters;
}

std::string unread(const ReadIssue& issue) {
  return "the counter cannot be read (" + std::string(reason_name(issue.reason)) + ")";
}

}  // namespace

bool says_not_offered(const ReadIssue& issue) {
  switch (issue.reason) {
    case IssueReason::kEnoent: return issue.source != Source::kSysfsPort;  // every port has those
    case IssueReason::kEinval:
    case IssueReason::kEopnotsupp: return true;
    case IssueReason::kParse: return issue.detail.starts_with("N/A");  // "N/A (no PMA)"
    default: return false;
  }
}

std::string why_missing(const DeviceSnapshot& device, std::uint32_t port,
                        const MetricSet& metrics) {
  const ReadIssue* nothing_of_a_kind = nullptr;
  for (const ReadIssue& issue : device.issues) {
    const auto place = place_of(issue);
    if (!place || !is_of_port(*place, port) || says_not_offered(issue)) continue;
    const CounterSpec* const spec =
        place->name.empty() ? nullptr : find_counter(place->source, device.driver, place->name);
    if (spec != nullptr && has_metric(*spec, metrics)) return unread(issue);
    // What an unknown driver calls the counter is not known: it may be among those.
    const bool may_be_it = place->name.empty() || device.driver.empty();
    if (may_be_it && !has_any(counters_of(device, port), place->source)) nothing_of_a_kind = &issue;
  }
  return nothing_of_a_kind == nullptr ? std::string(kNotOffered) : unread(*nothing_of_a_kind);
}

std::string why_missing(const DeviceSnapshot& device, const NetdevSnapshot& netdev) {
  const std::string whose = "ethtool " + netdev.name + ": ";
  for (const ReadIssue& issue : device.issues) {
    const std::string_view path = issue.path;
    const bool is_statistics = issue.source == Source::kEthtool && path.starts_with(whose) &&
                               path.find("GSTATS") != std::string_view::npos;
    if (is_statistics && !says_not_offered(issue)) return unread(issue);
  }
  return std::string(kNotOffered);
}

bool is_unreadable(const DeviceSnapshot& device, const PortSnapshot& port) {
  if (!port.state || !port.physical_state) return true;
  return std::any_of(device.issues.begin(), device.issues.end(), [&](const ReadIssue& issue) {
    const auto place = place_of(issue);
    return place && is_of_port(*place, port.number) && !says_not_offered(issue) &&
           !has_any(port.counters, place->source);
  });
}

}  // namespace rdmadiag::core
