#include "agent/daemon/change_log.h"

#include <algorithm>

namespace rdmadiag::daemon {
namespace {

using core::DeviceEntry;
using core::LogLevel;

const DeviceEntry* find_device(const core::HostSnapshot* host, const std::string& name) {
  if (host == nullptr) return nullptr;
  const auto found = std::find_if(host->devices.begin(), host->devices.end(),
                                  [&](const DeviceEntry& entry) { return entry.name == name; });
  return found == host->devices.end() ? nullptr : &*found;
}

template <class T>
auto find_port(const T& ports, std::uint32_t number) -> decltype(&*ports.begin()) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const auto& p) { return p.number == number; });
  return found == ports.end() ? nullptr : &*found;
}

std::string state_text(const core::PortSnapshot& port) {
  const std::string logical = port.state ? core::port_state_name(*port.state) : "unknown";
  if (!port.physical_state) return logical;
  return logical + '/' + core::physical_state_name(*port.physical_state);
}

class Changes {
 public:
  void device(const DeviceEntry* before, const DeviceEntry& now, bool is_first_look) {
    const bool was_present = before != nullptr && before->present;
    const bool was_stuck = before != nullptr && before->stuck;
    if (now.present && !was_present && !is_first_look)
      add(LogLevel::kInfo, "device appeared", now.name);
    if (!now.present && was_present) add(LogLevel::kWarn, "device is gone", now.name);
    if (now.stuck && !was_stuck) add(LogLevel::kWarn, "device does not answer", now.name);
    if (!now.stuck && was_stuck && now.present)
      add(LogLevel::kInfo, "device answers again", now.name);
  }

  void ports(const core::DeviceSnapshot& before, const core::DeviceSnapshot& now) {
    for (const core::PortSnapshot& port : now.ports) {
      const core::PortSnapshot* earlier = find_port(before.ports, port.number);
      if (earlier == nullptr || state_text(*earlier) == state_text(port)) continue;
      const bool worse = earlier->is_up() && !port.is_up();
      lines_.push_back({worse ? LogLevel::kWarn : LogLevel::kInfo,
                        "port changed its state",
                        {{"device", now.name},
                         {"port", std::to_string(port.number)},
                         {"from", state_text(*earlier)},
                         {"to", state_text(port)}}});
    }
  }

  void sources(const std::vector<core::SourceStatus>* before,
               const std::vector<core::SourceStatus>& now, const std::string& device) {
    for (const core::SourceStatus& status : now) {
      const bool succeeded_before = before == nullptr || succeeded(*before, status.source);
      if (status.success == succeeded_before) continue;
      std::vector<core::LogField> fields = {{"source", std::string(source_name(status.source))}};
      if (!device.empty()) fields.push_back({"device", device});
      lines_.push_back({status.success ? LogLevel::kInfo : LogLevel::kWarn,
                        status.success ? "source is read again" : "source cannot be read", fields});
    }
  }

  std::vector<ChangeLine> take() { return std::move(lines_); }

 private:
  // A source that was not there before did not fail before.
  static bool succeeded(const std::vector<core::SourceStatus>& sources, core::Source source) {
    return std::none_of(sources.begin(), sources.end(), [&](const core::SourceStatus& status) {
      return status.source == source && !status.success;
    });
  }

  void add(LogLevel level, std::string message, const std::string& device) {
    lines_.push_back({level, std::move(message), {{"device", device}}});
  }

  std::vector<ChangeLine> lines_;
};

}  // namespace

std::vector<ChangeLine> describe_changes(const core::HostSnapshot* before,
                                         const core::HostSnapshot& now) {
  Changes changes;
  changes.sources(before == nullptr ? nullptr : &before->sources, now.sources, "");
  for (const DeviceEntry& entry : now.devices) {
    const DeviceEntry* earlier = find_device(before, entry.name);
    changes.device(earlier, entry, before == nullptr);
    // A device that hangs fails in all its sources: said once.
    if (entry.stuck || !entry.present) continue;
    const bool comparable = earlier != nullptr && earlier->snapshot && !earlier->stuck;
    changes.sources(comparable ? &earlier->sources : nullptr, entry.sources, entry.name);
    if (comparable && entry.snapshot) changes.ports(*earlier->snapshot, *entry.snapshot);
  }
  if (before == nullptr) return changes.take();
  for (const DeviceEntry& entry : before->devices) {
    if (!entry.present || find_device(&now, entry.name) != nullptr) continue;
    DeviceEntry gone;
    gone.name = entry.name;
    gone.present = false;
    changes.device(&entry, gone, false);
  }
  return changes.take();
}

std::vector<ChangeLine> describe_flaps(const std::vector<core::PortStatus>& before,
                                       const std::vector<core::PortStatus>& now) {
  constexpr std::uint64_t kThereAndBack = 2;
  std::vector<ChangeLine> lines;
  for (const core::PortStatus& port : now) {
    const auto earlier = std::find_if(before.begin(), before.end(), [&](const auto& status) {
      return status.port == port.port && status.device == port.device;
    });
    if (earlier == before.end() || !earlier->state_changes || !port.state_changes) continue;
    if (*port.state_changes < *earlier->state_changes + kThereAndBack) continue;
    lines.push_back({LogLevel::kWarn,
                     "port changed its state between two reads",
                     {{"device", port.device},
                      {"port", std::to_string(port.port)},
                      {"changes", std::to_string(*port.state_changes - *earlier->state_changes)}}});
  }
  return lines;
}

std::optional<ChangeLine> describe_health(const core::HealthReporter* before,
                                          const core::HealthReporter& now) {
  const bool is_ill = now.state.value_or(0) != 0;
  const bool was_ill = before != nullptr && before->state.value_or(0) != 0;
  const bool failed_again = before != nullptr && now.errors > before->errors;
  std::vector<core::LogField> fields = {{"at", now.handle}, {"reporter", now.name}};
  if (now.port_index) fields.push_back({"port_index", std::to_string(*now.port_index)});
  if (now.errors) fields.push_back({"errors", std::to_string(*now.errors)});
  if (now.recoveries) fields.push_back({"recoveries", std::to_string(*now.recoveries)});
  if (is_ill && (!was_ill || failed_again))
    return ChangeLine{LogLevel::kWarn, "health reporter is in error", std::move(fields)};
  if (!is_ill && was_ill)
    return ChangeLine{LogLevel::kInfo, "health reporter has recovered", std::move(fields)};
  if (failed_again)
    return ChangeLine{LogLevel::kWarn, "health reporter had an error and recovered",
                      std::move(fields)};
  return std::nullopt;
}

}  // namespace rdmadiag::daemon
