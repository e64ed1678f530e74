// What the burst sampler saw between scrapes, and what it costs.
#include <array>
#include <span>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::BurstCounter;
using core::BurstStatus;

// One counter's place in a family: its label, where the family has one.
struct Member {
  BurstCounter counter;
  std::string_view direction;
};
constexpr std::array<Member, 2> kTraffic = {
    {{BurstCounter::kRxBytes, "rx"}, {BurstCounter::kTxBytes, "tx"}}};
constexpr std::array<Member, 2> kPauses = {
    {{BurstCounter::kRxPause, "rx"}, {BurstCounter::kTxPause, "tx"}}};
constexpr std::array<Member, 1> kDiscards = {{{BurstCounter::kDiscards, ""}}};
constexpr std::array<Member, 1> kMarks = {{{BurstCounter::kEcnMarks, ""}}};

using Values = core::PerBurstCounter<std::optional<double>> BurstStatus::*;

struct Family {
  std::string_view name;
  FamilyType type;
  std::string_view help;
  Values values;
  std::span<const Member> members;
};
const std::array<Family, 7> kFamilies = {{
    {"rdma_port_burst_peak_bytes_per_second", FamilyType::kGauge,
     "Highest rate between two samples in the last window (burst sampler).",
     &BurstStatus::peak_per_second, kTraffic},
    {"rdma_port_burst_near_line_rate_seconds_total", FamilyType::kCounter,
     "Time with traffic above 90 % of the line rate (burst sampler).",
     &BurstStatus::near_line_seconds, kTraffic},
    {"rdma_port_burst_peak_pauses_per_second", FamilyType::kGauge,
     "Highest rate of pause frames, on InfiniBand of ticks without credits, in the last window "
     "(burst sampler); rx: the port had to wait.",
     &BurstStatus::peak_per_second, kPauses},
    {"rdma_port_burst_paused_seconds_total", FamilyType::kCounter,
     "Time between samples in which pauses were counted (burst sampler).",
     &BurstStatus::paused_seconds, kPauses},
    {"rdma_port_burst_longest_pause_seconds", FamilyType::kGauge,
     "Longest stretch of samples with pauses in each, in the last window (burst sampler).",
     &BurstStatus::longest_pause_seconds, kPauses},
    {"rdma_port_burst_peak_discards_per_second", FamilyType::kGauge,
     "Highest rate of discarded packets in the last window (burst sampler).",
     &BurstStatus::peak_per_second, kDiscards},
    {"rdma_port_burst_peak_ecn_marks_per_second", FamilyType::kGauge,
     "Highest rate of packets received with ECN marks in the last window (burst sampler).",
     &BurstStatus::peak_per_second, kMarks},
}};

const BurstStatus* find_status(const HostView& view, const PortView& port) {
  for (const core::BurstDevice& device : view.agent.bursts) {
    if (device.device != port.device->name) continue;
    for (const BurstStatus& status : device.ports)
      if (status.port == port.port->number) return &status;
  }
  return nullptr;
}

void write_family(const HostView& view, const Family& family, Exposition& out) {
  out.family(family.name, family.type, family.help);
  for (const PortView& port : view.ports) {
    const BurstStatus* status = find_status(view, port);
    if (status == nullptr) continue;
    for (const Member& member : family.members) {
      const auto& value = (status->*family.values)[static_cast<std::size_t>(member.counter)];
      if (!value) continue;
      out.sample(member.direction.empty() ? port.labels
                                          : with_label(port.labels, "direction", member.direction),
                 *value);
    }
  }
}

template <class ValueOf>
void write_cost(const HostView& view, Exposition& out, std::string_view name, FamilyType type,
                std::string_view help, const ValueOf& value_of) {
  out.family(name, type, help);
  for (const core::BurstDevice& device : view.agent.bursts) {
    std::string labels;
    append_label(labels, "device", device.device);
    out.sample(labels, value_of(device));
  }
}

}  // namespace

void write_burst_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kSysfsCounters)) return;
  for (const Family& family : kFamilies) write_family(view, family, out);
  write_cost(view, out, "rdmadiag_burst_window_seconds", FamilyType::kGauge,
             "Length of the window peaks are of: at least the scrape interval, to miss none.",
             [](const core::BurstDevice& d) { return d.window_seconds; });
  write_cost(view, out, "rdmadiag_burst_samples_total", FamilyType::kCounter,
             "Samples the burst sampler has taken.",
             [](const core::BurstDevice& d) { return d.samples; });
  write_cost(view, out, "rdmadiag_burst_dropped_samples_total", FamilyType::kCounter,
             "Samples that were due and not taken: the device was slow, or the CPU's share spent.",
             [](const core::BurstDevice& d) { return d.dropped; });
  write_cost(view, out, "rdmadiag_burst_cpu_seconds_total", FamilyType::kCounter,
             "CPU time the burst sampler has taken.",
             [](const core::BurstDevice& d) { return d.cpu_seconds; });
}

}  // namespace rdmadiag::exporters
