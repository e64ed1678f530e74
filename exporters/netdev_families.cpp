// The netdevs under the ports, bond members included.
#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

void write_bonds(const HostView& view, Exposition& out) {
  const auto each = [&](const auto& value_of) {
    for (const NetdevView& n : view.netdevs) {
      if (n.netdev->is_bond) out.sample(n.labels, value_of(n));
    }
  };
  out.family("rdma_nic_bond_members", FamilyType::kGauge,
             "Members of the bond (/sys/class/net/IF/bonding/slaves).");
  each([](const NetdevView& n) { return n.netdev->bond_members.size(); });
  out.family("rdma_nic_bond_members_up", FamilyType::kGauge,
             "Members of the bond that have a carrier (/sys/class/net/IF/carrier).");
  each([](const NetdevView& n) {
    std::size_t up = 0;
    for (const std::string& member : n.netdev->bond_members) {
      const core::NetdevSnapshot* netdev = n.device->find_netdev(member);
      up += netdev != nullptr && netdev->carrier.value_or(false) ? 1 : 0;
    }
    return up;
  });
}

}  // namespace

void write_netdev_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kNetdev)) return;
  out.family("rdma_nic_up", FamilyType::kGauge,
             "1 when the netdev has a carrier (/sys/class/net/IF/carrier).");
  for (const NetdevView& n : view.netdevs) {
    if (n.netdev->carrier) out.sample(n.labels, *n.netdev->carrier ? 1 : 0);
  }
  out.family("rdma_nic_speed_bytes_per_second", FamilyType::kGauge,
             "Speed of the netdev (/sys/class/net/IF/speed); absent when the driver gives none.");
  for (const NetdevView& n : view.netdevs) {
    if (!n.netdev->speed_bits_per_second) continue;
    out.sample(n.labels, static_cast<double>(*n.netdev->speed_bits_per_second) / 8);
  }
  out.family("rdma_nic_speed_known", FamilyType::kGauge,
             "1 when the netdev has a known speed, 0 when it has not (/sys/class/net/IF/speed).");
  for (const NetdevView& n : view.netdevs) {
    out.sample(n.labels, n.netdev->speed_bits_per_second ? 1 : 0);
  }
  out.family("rdma_nic_carrier_changes_total", FamilyType::kCounter,
             "Changes of the netdev's carrier (/sys/class/net/IF/carrier_changes).");
  for (const NetdevView& n : view.netdevs) {
    if (n.netdev->carrier_changes) out.sample(n.labels, *n.netdev->carrier_changes);
  }
  write_bonds(view, out);
}

}  // namespace rdmadiag::exporters
