#include "tests/host/host_fixture.h"

#include <algorithm>
#include <stdexcept>

namespace rdmadiag::test {
namespace {

template <class Range, class Predicate>
auto pointer_to(const Range& range, Predicate predicate) -> decltype(&*range.begin()) {
  const auto found = std::find_if(range.begin(), range.end(), predicate);
  return found == range.end() ? nullptr : &*found;
}

}  // namespace

const core::DeviceEntry* find_entry(const core::HostSnapshot& host, std::string_view device) {
  return pointer_to(host.devices, [&](const auto& entry) { return entry.name == device; });
}

const core::DeviceSnapshot& device_of(const core::HostSnapshot& host, std::string_view device) {
  const core::DeviceEntry* entry = find_entry(host, device);
  if (entry == nullptr || !entry->snapshot) throw std::out_of_range(std::string(device));
  return *entry->snapshot;
}

const core::PortSnapshot& port_of(const core::HostSnapshot& host, std::string_view device,
                                  std::uint32_t port) {
  const auto& ports = device_of(host, device).ports;
  const auto* found = pointer_to(ports, [&](const auto& p) { return p.number == port; });
  if (found == nullptr) throw std::out_of_range("port " + std::to_string(port));
  return *found;
}

std::optional<std::uint64_t> value_of(const std::vector<core::CounterSample>& samples,
                                      std::string_view name) {
  const auto* found =
      pointer_to(samples, [&](const auto& sample) { return sample.name() == name; });
  return found != nullptr ? std::optional(found->value) : std::nullopt;
}

std::optional<double> metric_of(const std::vector<core::CounterSample>& samples,
                                std::string_view metric) {
  std::optional<double> sum;
  for (const core::CounterSample& sample : samples) {
    if (sample.spec == nullptr || sample.spec->metric->name != metric) continue;
    sum = sum.value_or(0) + static_cast<double>(sample.value) * sample.spec->scale;
  }
  return sum;
}

const core::ReadIssue* find_issue(const std::vector<core::ReadIssue>& issues,
                                  std::string_view path_end) {
  return pointer_to(issues, [&](const auto& issue) { return issue.path.ends_with(path_end); });
}

const core::SourceStatus* find_status(const std::vector<core::SourceStatus>& statuses,
                                      core::Source source) {
  return pointer_to(statuses, [&](const auto& status) { return status.source == source; });
}

std::uint64_t errors_of(const core::DeviceEntry& entry, core::Source source,
                        core::IssueReason reason) {
  const core::SourceStatus* status = find_status(entry.sources, source);
  return status == nullptr ? 0 : status->errors[static_cast<std::size_t>(reason)];
}

}  // namespace rdmadiag::test
