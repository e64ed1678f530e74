// Ports, devices, and counters that moved.
#include <algorithm>
#include <chrono>
#include <span>

#include "agent/core/changes.h"
#include "agent/core/diagnose/evidence.h"
#include "exporters/html_sections.h"
#include "exporters/html_spark.h"

namespace rdmadiag::exporters {
namespace {

using core::CounterChange;

void write_changes(const core::PortStatus* status, HtmlWriter& out) {
  out.markup("<td>");
  if (status != nullptr && status->state_changes) {
    out.text(grouped(*status->state_changes));
    if (status->last_state_change) {
      out.markup(", last ");
      out.time(*status->last_state_change);
    }
  }
  out.markup("</td>");
}

void write_port(const core::DeviceSnapshot& device, const core::PortSnapshot& port,
                const core::AgentStatus& agent, HtmlWriter& out) {
  const core::PortStatus* status = agent.find_port(device.name, port.number);
  out.open_row();
  out.row_head(device.name + " port " + std::to_string(port.number));
  out.verdict_cell(port_state(port));
  out.cell(port_rate(port), "short");
  out.cell(expected_rate(status), "short");
  out.cell(core::link_layer_name(port.link_layer));
  out.cell(port.netdev);
  write_changes(status, out);
  out.cell(rules_text(findings_of(agent.diagnosis, device.name, port.number)), "prose");
  out.close_row();
}

std::string temperature_text(const core::DeviceSnapshot& device) {
  if (device.temperatures.empty()) return {};
  double highest = device.temperatures.front().celsius;
  for (const core::TemperatureSample& sample : device.temperatures) {
    highest = std::max(highest, sample.celsius);
  }
  return core::number_text(highest) + " °C";
}

void write_device(const core::DeviceEntry& entry, HtmlWriter& out) {
  out.open_row();
  out.row_head(entry.name);
  if (!entry.snapshot) {
    out.verdict_cell(absent_state(entry));
    out.markup("<td colspan=\"6\"></td>");
    out.close_row();
    return;
  }
  const core::DeviceSnapshot& device = *entry.snapshot;
  const std::size_t issues = device.issues.size();
  out.verdict_cell(issues == 0 ? Verdict{Wellness::kGood, "read"}
                               : Verdict{Wellness::kWarning, grouped(issues) + " values missing"});
  out.cell(device.driver);
  out.cell(device.hca_type);
  out.cell(device.firmware);
  out.cell(device.pcie.address);
  out.cell(pcie_text(device.pcie), "short");
  out.cell(temperature_text(device), "short");
  out.close_row();
}

struct Movement {
  std::string where;
  const CounterChange* since_start = nullptr;
  const CounterChange* lately = nullptr;  // null when there are not two recent reads
  std::size_t device = 0;                 // among the devices that could be read
  std::size_t counter = 0;                // among the counters of the device and then its ports
};

// The page stays of a bounded size: the drawings are longer than the rows.
constexpr std::size_t kMostSparks = 200;

bool moved(const CounterChange& change) {
  return change.reset || change.saturated || change.increase.value_or(0) > 0;
}

core::Severity severity_of(const Movement& movement) {
  const core::CounterSpec* spec = movement.since_start->sample.spec;
  return spec ? spec->severity : core::Severity::kInfo;
}

// Both come from the same `now`, so that they have the same counters in the same order.
void append_moved(const Movement& first, const std::vector<CounterChange>& since_start,
                  const std::vector<CounterChange>* lately, std::vector<Movement>& out) {
  for (std::size_t i = 0; i < since_start.size(); ++i) {
    if (!moved(since_start[i])) continue;
    Movement& movement = out.emplace_back(first);
    movement.since_start = &since_start[i];
    movement.lately = lately ? &(*lately)[i] : nullptr;
    movement.counter += i;
  }
}

std::vector<Movement> movements(const std::vector<core::DeviceChanges>& since_start,
                                const std::vector<core::DeviceChanges>& lately) {
  std::vector<Movement> out;
  for (std::size_t d = 0; d < since_start.size(); ++d) {
    const core::DeviceChanges& device = since_start[d];
    const core::DeviceChanges* recent = lately.empty() ? nullptr : &lately[d];
    Movement first{.where = device.name, .device = d};
    append_moved(first, device.counters, recent ? &recent->counters : nullptr, out);
    first.counter = device.counters.size();
    for (std::size_t p = 0; p < device.ports.size(); ++p) {
      const core::PortChanges& port = device.ports[p];
      first.where = device.name + " port " + std::to_string(port.number);
      append_moved(first, port.counters, recent ? &recent->ports[p].counters : nullptr, out);
      first.counter += port.counters.size();
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Movement& a, const Movement& b) {
    return severity_of(a) > severity_of(b);
  });
  return out;
}

std::string since_start_text(const CounterChange& change) {
  if (change.reset) return "reset";
  if (!change.increase) return "";
  const core::CounterSpec* spec = change.sample.spec;
  const double scale = spec ? spec->scale : 1;
  if (scale == 1) return grouped(*change.increase);
  const double scaled = static_cast<double>(*change.increase) * scale;
  return scaled < 1e15 && scale > 1 ? grouped(static_cast<std::uint64_t>(scaled))
                                    : core::number_text(scaled);
}

Verdict severity_verdict(const Movement& movement) {
  if (movement.since_start->saturated) return {Wellness::kWarning, "saturated"};
  switch (severity_of(movement)) {
    case core::Severity::kInfo: return {Wellness::kGood, "traffic or state"};
    case core::Severity::kWarn: return {Wellness::kWarning, "warning"};
    case core::Severity::kCritical: return {Wellness::kBad, "critical"};
  }
  return {};
}

// The courses of a device's counters, made when the first of them is asked for.
class Courses {
 public:
  explicit Courses(const PageInput& input) : trails_(input.trails) {
    for (const core::DeviceEntry& entry : input.now.devices) {
      if (entry.snapshot) devices_.push_back(entry.snapshot.get());
    }
    steps_.resize(devices_.size());
  }

  std::span<const core::TrailStep> of(const Movement& movement) {
    auto& steps = steps_[movement.device];
    if (steps.empty()) steps = core::trail_steps(trails_, *devices_[movement.device]);
    return steps[movement.counter];
  }

 private:
  const core::Trails& trails_;
  std::vector<const core::DeviceSnapshot*> devices_;
  std::vector<std::vector<std::vector<core::TrailStep>>> steps_;
};

void write_movement(const Movement& movement, std::span<const core::TrailStep> course,
                    HtmlWriter& out) {
  const core::CounterSample& sample = movement.since_start->sample;
  const CounterChange* lately = movement.lately;
  out.open_row();
  out.row_head(movement.where);
  out.cell(sample.name(), "path");
  out.verdict_cell(severity_verdict(movement));
  const std::string_view metric = sample.spec ? sample.spec->metric->name : std::string_view();
  out.cell(since_start_text(*movement.since_start), "number");
  write_spark_cell(course, sample.spec ? sample.spec->scale : 1, metric, out);
  out.cell(lately && lately->per_second ? per_second_text(*lately->per_second, metric) : "",
           "number");
  out.cell(sample.spec ? sample.spec->meaning : "not in the catalogue", "prose");
  out.close_row();
}

}  // namespace

void write_ports(const PageInput& input, HtmlWriter& out) {
  out.open_section("ports", "Ports");
  std::size_t all = 0;
  for (const core::DeviceEntry& entry : input.now.devices) {
    if (entry.snapshot) all += entry.snapshot->ports.size();
  }
  std::size_t rows = 0;
  out.open_table(
      "ports",
      {"Port", "State", "Rate", "Expected", "Link layer", "Netdev", "State changes", "Findings"},
      all);
  for (const core::DeviceEntry& entry : input.now.devices) {
    if (!entry.snapshot) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      if (++rows <= kMaxPageRows) write_port(*entry.snapshot, port, input.agent, out);
    }
  }
  out.close_table();
  write_rest(rows, out);
  out.close_section();
}

void write_devices(const PageInput& input, HtmlWriter& out) {
  out.open_section("devices", "Devices");
  out.open_table(
      "devices",
      {"Device", "State", "Driver", "Type", "Firmware", "PCI address", "PCIe link", "Temperature"},
      input.now.devices.size());
  const std::size_t shown = std::min(input.now.devices.size(), kMaxPageRows);
  for (std::size_t i = 0; i < shown; ++i) write_device(input.now.devices[i], out);
  out.close_table();
  write_rest(input.now.devices.size(), out);
  out.close_section();
}

void write_moving_counters(const PageInput& input, HtmlWriter& out) {
  out.open_section("counters", "Counters that moved");
  if (input.at_start == nullptr) {
    out.markup("<p>There is no earlier read to compare with yet.</p>\n");
    out.close_section();
    return;
  }
  const auto since_start = core::host_changes(*input.at_start, input.now);
  const auto lately = input.previous ? core::host_changes(*input.previous, input.now)
                                     : std::vector<core::DeviceChanges>();
  const std::vector<Movement> moved_counters = movements(since_start, lately);
  if (moved_counters.empty()) {
    out.markup("<p>No counter has moved since the start.</p>\n");
  } else {
    const std::size_t shown = std::min(moved_counters.size(), kMaxPageRows);
    out.open_table("counters",
                   {"Where",
                    "Counter",
                    "Weight",
                    {"Since start", "number"},
                    "Course",
                    {"Now", "number"},
                    "Meaning"},
                   shown);
    Courses courses(input);
    for (std::size_t i = 0; i < shown; ++i) {
      const Movement& movement = moved_counters[i];
      write_movement(movement,
                     i < kMostSparks ? courses.of(movement) : std::span<const core::TrailStep>(),
                     out);
    }
    out.close_table();
    write_rest(moved_counters.size(), out);
  }
  out.close_section();
}

}  // namespace rdmadiag::exporters
