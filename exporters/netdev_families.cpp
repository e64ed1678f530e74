// The netdevs under the ports, bond members included.
#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

struct NetdevView {
  const core::NetdevSnapshot* netdev = nullptr;
  std::string labels;  // device="…",netdev="…"
};

std::vector<NetdevView> netdevs_of(const HostView& view) {
  std::vector<NetdevView> netdevs;
  for (const DeviceView& device : view.devices) {
    if (device.device == nullptr) continue;
    for (const core::NetdevSnapshot& netdev : device.device->netdevs) {
      NetdevView labelled{.netdev = &netdev, .labels = device.labels};
      append_label(labelled.labels, "netdev", netdev.name);
      netdevs.push_back(std::move(labelled));
    }
  }
  return netdevs;
}

}  // namespace

void write_netdev_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kNetdev)) return;
  const std::vector<NetdevView> netdevs = netdevs_of(view);
  out.family("rdma_nic_up", FamilyType::kGauge,
             "1 when the netdev has a carrier (/sys/class/net/IF/carrier).");
  for (const NetdevView& n : netdevs) {
    if (n.netdev->carrier) out.sample(n.labels, *n.netdev->carrier ? 1 : 0);
  }
  out.family("rdma_nic_speed_bytes_per_second", FamilyType::kGauge,
             "Speed of the netdev (/sys/class/net/IF/speed); absent when the driver gives none.");
  for (const NetdevView& n : netdevs) {
    if (!n.netdev->speed_bits_per_second) continue;
    out.sample(n.labels, static_cast<double>(*n.netdev->speed_bits_per_second) / 8);
  }
  out.family("rdma_nic_speed_known", FamilyType::kGauge,
             "1 when the netdev has a known speed, 0 when it has not (/sys/class/net/IF/speed).");
  for (const NetdevView& n : netdevs) {
    out.sample(n.labels, n.netdev->speed_bits_per_second ? 1 : 0);
  }
  out.family("rdma_nic_carrier_changes_total", FamilyType::kCounter,
             "Changes of the netdev's carrier (/sys/class/net/IF/carrier_changes).");
  for (const NetdevView& n : netdevs) {
    if (n.netdev->carrier_changes) out.sample(n.labels, *n.netdev->carrier_changes);
  }
}

}  // namespace rdmadiag::exporters
