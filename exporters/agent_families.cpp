// The agent's own state: rdmadiag_* and process_*.
#include <chrono>
#include <set>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::SourceStatus;

struct LabelledSource {
  const SourceStatus* status = nullptr;
  std::string labels;  // source="…",device="…"; no device for the discovery's own
};

void append_sources(const HostView& view, const std::vector<SourceStatus>& sources,
                    std::string_view device, std::vector<LabelledSource>& out) {
  for (const SourceStatus& status : sources) {
    if (!view.wants(status.source)) continue;
    constexpr std::size_t kUsualSize = 64;
    LabelledSource labelled{.status = &status, .labels = {}};
    labelled.labels.reserve(kUsualSize);
    append_label(labelled.labels, "source", core::source_name(status.source));
    if (!device.empty()) append_label(labelled.labels, "device", device);
    out.push_back(std::move(labelled));
  }
}

std::vector<LabelledSource> labelled_sources(const HostView& view) {
  std::vector<LabelledSource> sources;
  append_sources(view, view.host.sources, "", sources);
  for (const DeviceView& device : view.devices) {
    const bool in_snapshot = device.entry->sources.empty() && device.device != nullptr;
    append_sources(view, in_snapshot ? device.device->sources : device.entry->sources,
                   device.entry->name, sources);
  }
  return sources;
}

void write_errors(const std::vector<LabelledSource>& sources, Exposition& out) {
  out.family(
      "rdmadiag_source_errors_total", FamilyType::kCounter,
      "Values that could not be read, by errno class; a reason appears with its first error.");
  for (const LabelledSource& source : sources) {
    for (std::size_t i = 0; i < core::kIssueReasonCount; ++i) {
      if (source.status->errors[i] == 0) continue;
      std::string labels = source.labels;
      append_label(labels, "reason", core::reason_name(static_cast<core::IssueReason>(i)));
      out.sample(labels, source.status->errors[i]);
    }
  }
}

void write_sources(const HostView& view, Exposition& out) {
  const std::vector<LabelledSource> sources = labelled_sources(view);
  out.family("rdmadiag_source_success", FamilyType::kGauge,
             "1 when the kernel interface was read at the last try, 0 when it was not.");
  for (const LabelledSource& s : sources) out.sample(s.labels, s.status->success ? 1 : 0);
  out.family("rdmadiag_source_duration_seconds", FamilyType::kGauge,
             "Time the last read of the kernel interface took.");
  for (const LabelledSource& s : sources) {
    out.sample(s.labels, std::chrono::duration<double>(s.status->duration).count());
  }
  write_errors(sources, out);
  out.family("rdmadiag_source_last_success_timestamp_seconds", FamilyType::kGauge,
             "When the kernel interface was last read, in seconds since the epoch.");
  for (const LabelledSource& s : sources) {
    if (s.status->last_success) out.sample(s.labels, unix_seconds(*s.status->last_success));
  }
  out.family("rdmadiag_snapshot_age_seconds", FamilyType::kGauge,
             "Age of the device's last complete read; grows while the device does not answer.");
  for (const DeviceView& device : view.devices) {
    if (!device.entry->age) continue;
    out.sample(device.labels, std::chrono::duration<double>(*device.entry->age).count());
  }
}

void write_config(const core::AgentStatus& agent, Exposition& out) {
  out.family("rdmadiag_config_last_reload_successful", FamilyType::kGauge,
             "1 when the last reload of the configuration succeeded, 0 when the former stays.");
  out.sample("", agent.config_reload_successful ? 1 : 0);
  out.family("rdmadiag_config_last_reload_success_timestamp_seconds", FamilyType::kGauge,
             "When the configuration was last loaded, in seconds since the epoch.");
  if (agent.config_reloaded_at) out.sample("", unix_seconds(*agent.config_reloaded_at));
  out.family("rdmadiag_web_config_last_reload_successful", FamilyType::kGauge,
             "1 when the last change of the web configuration (TLS, users) was taken, 0 when the "
             "former stays; absent without one.");
  if (agent.web_config_reload_successful) {
    out.sample("", *agent.web_config_reload_successful ? 1 : 0);
  }
}

void write_findings(const core::Diagnosis& diagnosis, Exposition& out) {
  out.family("rdmadiag_finding", FamilyType::kGauge,
             "1 for each active finding of the diagnosis; `rdmadiag check` says more.");
  // Two findings of one rule may differ only in what is no label, such as the netdev.
  std::set<std::string> seen;
  for (const core::Finding& finding : diagnosis.findings) {
    std::string labels;
    append_label(labels, "rule", finding.rule);
    append_label(labels, "severity", core::severity_name(finding.severity));
    if (!finding.subject.device.empty()) append_label(labels, "device", finding.subject.device);
    if (finding.subject.port != 0) {
      append_label(labels, "port", std::to_string(finding.subject.port));
    }
    if (seen.insert(labels).second) out.sample(labels, 1);
  }
}

template <class Value>
void write_process_value(Exposition& out, std::string_view name, FamilyType type,
                         std::string_view help, const std::optional<Value>& value) {
  out.family(name, type, help);
  if (value) out.sample("", *value);
}

void write_process(const core::ProcessStats& process, Exposition& out) {
  write_process_value(out, "process_cpu_seconds_total", FamilyType::kCounter,
                      "User and system CPU time spent (getrusage).", process.cpu_seconds);
  write_process_value(out, "process_open_fds", FamilyType::kGauge,
                      "Open file descriptors (/proc/self/fd).", process.open_fds);
  write_process_value(out, "process_max_fds", FamilyType::kGauge,
                      "Limit of open file descriptors (RLIMIT_NOFILE).", process.max_fds);
  write_process_value(out, "process_virtual_memory_bytes", FamilyType::kGauge,
                      "Virtual memory size (/proc/self/statm).", process.virtual_memory_bytes);
  write_process_value(out, "process_resident_memory_bytes", FamilyType::kGauge,
                      "Resident memory size (/proc/self/statm).", process.resident_memory_bytes);
  write_process_value(out, "process_threads", FamilyType::kGauge,
                      "Threads of the process (/proc/self/task).", process.threads);
  write_process_value(out, "process_start_time_seconds", FamilyType::kGauge,
                      "Start of the process in seconds since the epoch (/proc/self/stat).",
                      process.start_time_seconds);
}

}  // namespace

void write_agent_families(const HostView& view, Exposition& out) {
  std::string build;
  append_label(build, "version", view.agent.version);
  append_label(build, "revision", view.agent.revision);
  out.family("rdmadiag_build_info", FamilyType::kGauge, "Version of the agent; the value is 1.");
  out.sample(build, 1);
  write_sources(view, out);
  write_config(view.agent, out);
  write_findings(view.agent.diagnosis, out);
  if (view.agent.process && view.options.sources.none()) write_process(*view.agent.process, out);
}

}  // namespace rdmadiag::exporters
