// Data centre bridging and congestion control as configured: what is lossless, what is trusted.
#include "exporters/families.h"

namespace rdmadiag::exporters {
namespace {

constexpr std::uint8_t kTransmissionEts = 2;  // IEEE_8021QAZ_TSA_ETS

template <class Write>
void each_dcb(const HostView& view, const Write& write) {
  for (const NetdevView& n : view.netdevs) {
    if (n.netdev->dcb) write(n, *n.netdev->dcb);
  }
}

void write_pfc(const HostView& view, Exposition& out) {
  out.family("rdma_nic_pfc_enabled", FamilyType::kGauge,
             "1 where priority flow control is on for the priority (DCB netlink, IEEE PFC).");
  each_dcb(view, [&](const NetdevView& n, const core::DcbSnapshot& dcb) {
    if (!dcb.pfc_enabled) return;
    for (std::size_t priority = 0; priority < core::kPriorities; ++priority) {
      out.sample(with_label(n.labels, "priority", std::to_string(priority)),
                 (*dcb.pfc_enabled)[priority] ? 1 : 0);
    }
  });
  out.family("rdma_nic_pfc_capable_classes", FamilyType::kGauge,
             "Traffic classes that can have priority flow control at a time (DCB netlink).");
  each_dcb(view, [&](const NetdevView& n, const core::DcbSnapshot& dcb) {
    if (dcb.pfc_capable_classes) out.sample(n.labels, *dcb.pfc_capable_classes);
  });
}

void write_trust(const HostView& view, Exposition& out) {
  out.family("rdma_nic_dscp_priority", FamilyType::kGauge,
             "Priority a DSCP is given, as configured (DCB netlink, APP table).");
  each_dcb(view, [&](const NetdevView& n, const core::DcbSnapshot& dcb) {
    for (std::uint32_t dscp = 0; dscp < 64; ++dscp) {
      const std::optional<int> priority = dcb.priority_of_dscp(dscp);
      if (priority) out.sample(with_label(n.labels, "dscp", std::to_string(dscp)), *priority);
    }
  });
  out.family("rdma_nic_trust_info", FamilyType::kGauge,
             "What picks the priority of an arriving packet, and how that was learnt; the value is "
             "1.");
  each_dcb(view, [&](const NetdevView& n, const core::DcbSnapshot& dcb) {
    if (!dcb.trust) return;
    std::string labels =
        with_label(n.labels, "mode", *dcb.trust == core::Trust::kDscp ? "dscp" : "pcp");
    append_label(labels, "learnt_from", dcb.trust_learnt_from);
    out.sample(labels, 1);
  });
}

void write_ets(const HostView& view, Exposition& out) {
  out.family("rdma_nic_ets_bandwidth_ratio", FamilyType::kGauge,
             "Share of the link a traffic class under ETS is given (DCB netlink, IEEE ETS).");
  each_dcb(view, [&](const NetdevView& n, const core::DcbSnapshot& dcb) {
    if (!dcb.ets) return;
    for (std::size_t tc = 0; tc < core::kPriorities; ++tc) {
      if (dcb.ets->algorithm[tc] != kTransmissionEts) continue;
      out.sample(with_label(n.labels, "tc", std::to_string(tc)),
                 static_cast<double>(dcb.ets->bandwidth_percent[tc]) / 100.0);
    }
  });
}

void write_ecn(const HostView& view, Exposition& out) {
  out.family("rdma_roce_ecn_enabled", FamilyType::kGauge,
             "1 where the port answers ECN marks (role np) or slows down on CNPs (role rp) for the "
             "priority (the driver's own ecn files).");
  for (const PortView& port : view.ports) {
    if (!port.port->roce) continue;
    const auto write = [&](std::string_view role,
                           const std::optional<core::PerPriority<bool>>& enabled) {
      if (!enabled) return;
      for (std::size_t priority = 0; priority < core::kPriorities; ++priority) {
        std::string labels = with_label(port.labels, "role", role);
        append_label(labels, "priority", std::to_string(priority));
        out.sample(labels, (*enabled)[priority] ? 1 : 0);
      }
    };
    write("np", port.port->roce->ecn_notification_point);
    write("rp", port.port->roce->ecn_reaction_point);
  }
}

}  // namespace

void write_dcb_families(const HostView& view, Exposition& out) {
  if (!view.wants(core::Source::kDcb)) return;
  write_pfc(view, out);
  write_trust(view, out);
  write_ets(view, out);
  write_ecn(view, out);
}

}  // namespace rdmadiag::exporters
