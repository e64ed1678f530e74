#include "agent/host/vnic_debugfs.h"

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

struct VnicFile {
  std::string_view file;
  std::string_view counter;  // devlink's name, which the catalogue knows
};
constexpr std::array<VnicFile, 7> kFiles = {{
    {"total_q_under_processor_handle", "total_error_queues"},
    {"send_queue_priority_update_flow", "send_queue_priority_update_flow"},
    {"comp_eq_overrun", "comp_eq_overrun"},
    {"async_eq_overrun", "async_eq_overrun"},
    {"cq_overrun", "cq_overrun"},
    {"invalid_command", "invalid_command"},
    {"quota_exceeded_command", "quota_exceeded_command"},
}};

}  // namespace

void read_vnic_debugfs(const DeviceContext& context, core::DeviceSnapshot& device,
                       IssueLog& issues) {
  if (context.driver != "mlx5" || context.pci_directory.empty()) return;
  const std::string address = context.pci_directory.substr(context.pci_directory.rfind('/') + 1);
  const std::string directory =
      (context.roots.sys / "kernel/debug/mlx5" / address / "esw/pf/vnic_diag").string();
  for (const VnicFile& entry : kFiles) {
    const std::string path = directory + "/" + std::string(entry.file);
    const ReadOutcome outcome = context.session->read_once(path);
    if (!outcome.ok()) {
      if (outcome.error_number != ENOENT && outcome.error_number != EACCES &&
          outcome.error_number != EPERM)
        issues.add_outcome(core::Source::kDevlink, path, outcome);
      continue;
    }
    const auto value = parse_counter(trim(outcome.text));
    const auto* spec =
        core::find_counter(core::CounterSource::kDeviceHwCounters, context.driver, entry.counter);
    if (value && spec != nullptr)
      device.counters.push_back({core::CounterSource::kDeviceHwCounters, spec, {}, *value});
    else if (!value)
      issues.add_parse_error(core::Source::kDevlink, path, outcome.text);
  }
}

}  // namespace rdmadiag::host
