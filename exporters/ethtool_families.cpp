// Link, pause, FEC and transceiver, as ethtool tells them beside its counters.
#include <algorithm>
#include <array>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::EthtoolSnapshot;
using core::ModuleLane;
using core::ModuleLimits;
using core::ModuleSnapshot;

template <class Write>
void each_ethtool(const HostView& view, const Write& write) {
  for (const NetdevView& n : view.netdevs) {
    if (n.netdev->ethtool) write(n, *n.netdev->ethtool);
  }
}

bool has_modules(const HostView& view) {
  return std::ranges::any_of(view.netdevs,
                             [](const NetdevView& n) { return n.netdev->module.has_value(); });
}

template <class Write>
void each_module(const HostView& view, const Write& write) {
  for (const NetdevView& n : view.netdevs) {
    if (n.netdev->module) write(n, *n.netdev->module);
  }
}

void write_link(const HostView& view, Exposition& out) {
  out.family("rdma_nic_link_extended_state", FamilyType::kGauge,
             "Why the link is down, by the kernel's number (ethtool netlink, LINKSTATE): 2 link "
             "training failure, 4 no cable, 5 cable issue, 9 overheat, 10 module.");
  each_ethtool(view, [&](const NetdevView& n, const EthtoolSnapshot& ethtool) {
    if (ethtool.link.extended_state) out.sample(n.labels, *ethtool.link.extended_state);
  });
  out.family("rdma_nic_pause_enabled", FamilyType::kGauge,
             "1 where link-wide 802.3x pause is on (ethtool netlink, PAUSE): not PFC.");
  each_ethtool(view, [&](const NetdevView& n, const EthtoolSnapshot& ethtool) {
    if (!ethtool.pause) return;
    const auto write = [&](std::string_view direction, std::optional<bool> enabled) {
      if (enabled) out.sample(with_label(n.labels, "direction", direction), *enabled ? 1 : 0);
    };
    write("rx", ethtool.pause->receive);
    write("tx", ethtool.pause->transmit);
  });
}

void write_fec_lanes(const HostView& view, Exposition& out, std::string_view name,
                     std::string_view help,
                     std::vector<std::uint64_t> core::FecLaneCounts::*counts) {
  out.family(name, FamilyType::kCounter, help);
  each_ethtool(view, [&](const NetdevView& n, const EthtoolSnapshot& ethtool) {
    if (!ethtool.fec) return;
    const std::vector<std::uint64_t>& lanes = ethtool.fec->lanes.*counts;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      out.sample(with_label(n.labels, "lane", std::to_string(lane)), lanes[lane]);
    }
  });
}

void write_fec(const HostView& view, Exposition& out) {
  out.family("rdma_nic_fec_info", FamilyType::kGauge,
             "Forward error correction in use (ethtool netlink, FEC); the value is 1.");
  each_ethtool(view, [&](const NetdevView& n, const EthtoolSnapshot& ethtool) {
    if (!ethtool.fec || ethtool.fec->active.empty()) return;
    out.sample(with_label(n.labels, "mode", ethtool.fec->active), 1);
  });
  write_fec_lanes(view, out, "rdma_nic_fec_lane_corrected_blocks_total",
                  "Blocks FEC has mended, by lane (ethtool netlink, FEC statistics).",
                  &core::FecLaneCounts::corrected_blocks);
  write_fec_lanes(view, out, "rdma_nic_fec_lane_uncorrectable_blocks_total",
                  "Blocks FEC could not mend, by lane (ethtool netlink, FEC statistics).",
                  &core::FecLaneCounts::uncorrectable_blocks);
  write_fec_lanes(view, out, "rdma_nic_fec_lane_corrected_bit_errors_total",
                  "Bits FEC has mended, by lane (ethtool netlink, FEC statistics).",
                  &core::FecLaneCounts::corrected_bits);
}

void write_module_info(const HostView& view, Exposition& out) {
  out.family("rdma_nic_module_info", FamilyType::kGauge,
             "What is plugged in (module EEPROM); the value is 1.");
  each_module(view, [&](const NetdevView& n, const ModuleSnapshot& module) {
    std::string labels = with_label(n.labels, "type", module.type);
    append_label(labels, "vendor", module.vendor);
    append_label(labels, "part_number", module.part_number);
    append_label(labels, "serial_number", module.serial_number);
    append_label(labels, "revision", module.revision);
    out.sample(labels, 1);
  });
}

// A value of the module with the limits the module itself states.
struct Reading {
  std::string_view name;  // without unit
  std::string_view unit;
  std::string_view what;
  std::optional<double> ModuleSnapshot::*value;  // null for a reading of each lane
  std::optional<double> ModuleLane::*lane_value;
  std::optional<ModuleLimits> ModuleSnapshot::*limits;
};

constexpr std::array<Reading, 5> kReadings = {{
    {"rdma_nic_module_temperature", "_celsius", "Temperature of the module",
     &ModuleSnapshot::temperature_celsius, nullptr, &ModuleSnapshot::temperature_limits},
    {"rdma_nic_module_voltage", "_volts", "Supply voltage of the module", &ModuleSnapshot::voltage,
     nullptr, &ModuleSnapshot::voltage_limits},
    {"rdma_nic_module_bias", "_amperes", "Laser bias current", nullptr, &ModuleLane::bias_amperes,
     &ModuleSnapshot::bias_limits},
    {"rdma_nic_module_tx_power", "_watts", "Optical power sent", nullptr,
     &ModuleLane::transmit_watts, &ModuleSnapshot::transmit_limits},
    {"rdma_nic_module_rx_power", "_watts", "Optical power received", nullptr,
     &ModuleLane::receive_watts, &ModuleSnapshot::receive_limits},
}};

std::string metric_name(const Reading& reading, std::string_view limit) {
  return std::string(reading.name).append(limit).append(reading.unit);
}

void write_values(const HostView& view, const Reading& reading, Exposition& out) {
  const std::string name = metric_name(reading, "");
  const std::string help = std::string(reading.what) +
                           (reading.value ? " (module EEPROM)." : ", by lane (module EEPROM).");
  out.family(name, FamilyType::kGauge, help);
  each_module(view, [&](const NetdevView& n, const ModuleSnapshot& module) {
    if (reading.value != nullptr) {
      if (const auto& value = module.*reading.value) out.sample(n.labels, *value);
      return;
    }
    for (std::size_t lane = 0; lane < module.lanes.size(); ++lane) {
      const auto& value = module.lanes[lane].*reading.lane_value;
      if (value) out.sample(with_label(n.labels, "lane", std::to_string(lane)), *value);
    }
  });
}

void write_limit(const HostView& view, const Reading& reading, std::string_view limit,
                 double ModuleLimits::*member, Exposition& out) {
  const std::string name = metric_name(reading, limit);
  const std::string help =
      std::string(reading.what) + " at which the module itself warns (module EEPROM).";
  out.family(name, FamilyType::kGauge, help);
  each_module(view, [&](const NetdevView& n, const ModuleSnapshot& module) {
    if (const auto& limits = module.*reading.limits) out.sample(n.labels, (*limits).*member);
  });
}

}  // namespace

void write_ethtool_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kEthtool)) return;
  write_link(view, out);
  write_fec(view, out);
  if (!has_modules(view)) return;
  write_module_info(view, out);
  for (const Reading& reading : kReadings) {
    write_values(view, reading, out);
    write_limit(view, reading, "_low_warning", &ModuleLimits::low_warning, out);
    write_limit(view, reading, "_high_warning", &ModuleLimits::high_warning, out);
  }
}

}  // namespace rdmadiag::exporters
