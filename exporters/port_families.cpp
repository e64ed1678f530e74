// One port apart from its counters: identity, state, rate, addresses.
#include <array>

#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

using core::GidType;
using core::NetdevSnapshot;

std::string bond_of(const NetdevSnapshot* netdev) {
  if (netdev == nullptr) return {};
  if (netdev->is_bond) return netdev->name;
  return netdev->is_bond_member ? netdev->master : std::string();
}

std::string info_labels(const PortView& view) {
  const NetdevSnapshot* netdev = view.device->find_netdev(view.port->netdev);
  const bool is_vf = view.device->pcie.is_vf || (netdev != nullptr && netdev->is_vf);
  constexpr std::size_t kUsualSize = 128;
  std::string labels;
  labels.reserve(kUsualSize);
  labels = view.labels;
  append_label(labels, "link_layer", core::link_layer_name(view.port->link_layer));
  append_label(labels, "netdev", view.port->netdev);
  append_label(labels, "is_vf", is_vf ? "true" : "false");
  append_label(labels, "bond", bond_of(netdev));
  return labels;
}

// One family of one value a port; `value_of(view)` gives an optional.
template <class ValueOf>
void write_ports(const HostView& view, Exposition& out, std::string_view name, FamilyType type,
                 std::string_view help, const ValueOf& value_of) {
  out.family(name, type, help);
  for (const PortView& port : view.ports) {
    if (const auto value = value_of(port)) out.sample(port.labels, *value);
  }
}

void write_state(const HostView& view, Exposition& out) {
  out.family("rdma_port_info", FamilyType::kGauge,
             "What the port is (ports/N/link_layer, its netdev); the value is 1.");
  for (const PortView& port : view.ports) out.sample(info_labels(port), 1);
  write_ports(view, out, "rdma_port_state", FamilyType::kGauge,
              "Logical state (ports/N/state): 0 NOP, 1 DOWN, 2 INIT, 3 ARMED, 4 ACTIVE, "
              "5 ACTIVE_DEFER.",
              [](const PortView& p) { return p.port->state; });
  write_ports(view, out, "rdma_port_physical_state", FamilyType::kGauge,
              "Physical state (ports/N/phys_state): 1 Sleep, 2 Polling, 3 Disabled, "
              "4 PortConfigurationTraining, 5 LinkUp, 6 LinkErrorRecovery, 7 Phy Test.",
              [](const PortView& p) { return p.port->physical_state; });
  write_ports(view, out, "rdma_port_up", FamilyType::kGauge,
              "1 when the port is ACTIVE and LinkUp (ports/N/state, ports/N/phys_state).",
              [](const PortView& p) -> std::optional<int> {
                if (!p.port->state || !p.port->physical_state) return std::nullopt;
                return p.port->is_up() ? 1 : 0;
              });
}

// A port that is not ACTIVE shows a made-up rate and width.
std::optional<core::PortRate> true_rate(const PortView& view) {
  return view.port->is_active() ? view.port->rate : std::nullopt;
}

void write_rate(const HostView& view, Exposition& out) {
  write_ports(view, out, "rdma_port_rate_bytes_per_second", FamilyType::kGauge,
              "Signalling rate of an ACTIVE port (ports/N/rate).",
              [](const PortView& p) -> std::optional<double> {
                const auto rate = true_rate(p);
                if (!rate) return std::nullopt;
                return rate->bits_per_second / 8;
              });
  write_ports(view, out, "rdma_port_width_lanes", FamilyType::kGauge,
              "Lanes of an ACTIVE port (ports/N/rate).",
              [](const PortView& p) -> std::optional<int> {
                const auto rate = true_rate(p);
                return rate ? rate->width_lanes : std::nullopt;
              });
  write_ports(view, out, "rdma_port_lane_rate_bytes_per_second", FamilyType::kGauge,
              "Signalling rate of one lane of an ACTIVE port (ports/N/rate).",
              [](const PortView& p) -> std::optional<double> {
                const auto rate = true_rate(p);
                if (!rate || rate->width_lanes.value_or(0) <= 0) return std::nullopt;
                return rate->bits_per_second / 8 / *rate->width_lanes;
              });
  write_ports(view, out, "rdma_port_expected_rate_bytes_per_second", FamilyType::kGauge,
              "Rate the port should have: from the configuration, else the highest since start.",
              [](const PortView& p) -> std::optional<double> {
                if (p.status == nullptr || !p.status->expected_bits_per_second) return {};
                return *p.status->expected_bits_per_second / 8;
              });
}

void write_mtu(const HostView& view, Exposition& out) {
  out.family("rdma_port_mtu_bytes", FamilyType::kGauge,
             "RDMA path MTU of the port (verbs, or derived from its netdev).");
  for (const PortView& port : view.ports) {
    const auto write = [&](std::string_view kind, std::optional<int> value) {
      if (!value) return;
      std::string labels = port.labels;
      append_label(labels, "kind", kind);
      out.sample(labels, *value);
    };
    write("active", port.port->active_mtu_bytes);
    write("max", port.port->max_mtu_bytes);
  }
}

void write_gids(const HostView& view, Exposition& out) {
  constexpr std::array kTypes = {GidType::kIb, GidType::kRoceV1, GidType::kRoceV2,
                                 GidType::kUnknown};
  out.family("rdma_port_gids", FamilyType::kGauge,
             "Filled slots of the GID table (ports/N/gids, ports/N/gid_attrs/types).");
  for (const PortView& port : view.ports) {
    if (port.port->gids.empty()) continue;  // no slot filled, or the table could not be read
    std::array<std::size_t, kTypes.size()> counts{};
    for (const core::GidEntry& gid : port.port->gids) {
      for (std::size_t i = 0; i < kTypes.size(); ++i) counts[i] += gid.type == kTypes[i] ? 1 : 0;
    }
    const bool ethernet = port.port->link_layer == core::LinkLayer::kEthernet;
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      // A zero tells something only where RoCE could have both.
      const bool roce = kTypes[i] == GidType::kRoceV1 || kTypes[i] == GidType::kRoceV2;
      if (counts[i] == 0 && !(ethernet && roce)) continue;
      std::string labels = port.labels;
      append_label(labels, "type", core::gid_type_name(kTypes[i]));
      out.sample(labels, counts[i]);
    }
  }
}

void write_addresses(const HostView& view, Exposition& out) {
  const auto infiniband = [](const PortView& p, std::optional<std::uint32_t> lid) {
    return p.port->link_layer == core::LinkLayer::kInfiniband ? lid : std::nullopt;
  };
  write_ports(view, out, "rdma_port_lid", FamilyType::kGauge,
              "Local identifier of an InfiniBand port (ports/N/lid).",
              [&](const PortView& p) { return infiniband(p, p.port->lid); });
  write_ports(view, out, "rdma_port_sm_lid", FamilyType::kGauge,
              "Local identifier of the subnet manager (ports/N/sm_lid).",
              [&](const PortView& p) { return infiniband(p, p.port->sm_lid); });
  write_gids(view, out);
}

void write_changes(const HostView& view, Exposition& out) {
  write_ports(view, out, "rdma_port_state_changes_total", FamilyType::kCounter,
              "Changes of the port's state since the agent's start, seen by its watcher.",
              [](const PortView& p) {
                return p.status ? p.status->state_changes : std::optional<std::uint64_t>();
              });
  write_ports(view, out, "rdma_port_state_change_timestamp_seconds", FamilyType::kGauge,
              "When the port's state last changed, in seconds since the epoch.",
              [](const PortView& p) -> std::optional<double> {
                if (p.status == nullptr || !p.status->last_state_change) return std::nullopt;
                return unix_seconds(*p.status->last_state_change);
              });
}

}  // namespace

void write_port_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kSysfsPort)) return;
  write_state(view, out);
  write_rate(view, out);
  write_mtu(view, out);
  write_addresses(view, out);
  write_changes(view, out);
}

}  // namespace rdmadiag::exporters
