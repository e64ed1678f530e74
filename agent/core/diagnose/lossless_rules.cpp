// Lossless Ethernet: PFC, ECN and trust that contradict each other, pauses that stop the network,
// drops where none may be.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

// Shares of the time, the same as those of the alerts. A tenth stops everybody behind the switch
// port; a twentieth costs a sender that much of its bandwidth.
constexpr double kStormShare = 0.10;
constexpr double kVictimShare = 0.05;

// A netdev under a RoCE port, at both looks.
struct LosslessView {
  const PortView& port;
  const NetdevSnapshot& now;
  const NetdevSnapshot* before = nullptr;

  [[nodiscard]] Subject subject() const {
    return {.device = port.device->now->name, .port = port.now->number, .netdev = now.name};
  }
};

// The DSCP of RoCE where the host sets one, and the priority the table gives it.
struct RoceClass {
  std::optional<int> dscp;
  std::optional<std::size_t> priority;
};

RoceClass roce_class(const LosslessView& view) {
  RoceClass found;
  const auto& roce = view.port.now->roce;
  if (!roce) return found;
  const auto tos = roce->traffic_class ? roce->traffic_class : roce->default_tos;
  if (!tos) return found;
  found.dscp = *tos >> 2;
  const auto& dcb = view.now.dcb;
  if (!dcb || dcb->trust != Trust::kDscp) return found;
  const auto priority = dcb->priority_of_dscp(static_cast<std::uint32_t>(*found.dscp));
  if (priority && *priority >= 0 && *priority < static_cast<int>(kPriorities))
    found.priority = static_cast<std::size_t>(*priority);
  return found;
}

std::ptrdiff_t count_on(const PerPriority<bool>& priorities) {
  return std::count(priorities.begin(), priorities.end(), true);
}

void check_pfc(const LosslessView& view, Report& report) {
  if (!view.now.dcb || !view.now.dcb->pfc_enabled) {
    for (const char* rule : {"pfc-missing", "pfc-everywhere", "pause-and-pfc"})
      report.could_not_tell(rule, view.subject(), "the driver does not tell its PFC setting");
    return;
  }
  const PerPriority<bool>& enabled = *view.now.dcb->pfc_enabled;
  const auto on = count_on(enabled);
  const RoceClass roce = roce_class(view);
  if (roce.priority && !enabled[*roce.priority]) {
    report.add("pfc-missing", view.subject(),
               fmt::format("PFC is off on priority {}, which DSCP {} of RoCE is given",
                           *roce.priority, *roce.dscp),
               fmt::format("on for priority {}", *roce.priority));
  } else if (on == 0) {
    report.add("pfc-missing", view.subject(), FindingSeverity::kInfo,
               "PFC is off on every priority",
               "on for RoCE's priority, unless the fabric is meant to drop");
  } else if (!roce.priority) {
    report.could_not_tell("pfc-missing", view.subject(), "which priority RoCE has is not known");
  }
  if (on == static_cast<std::ptrdiff_t>(kPriorities))
    report.add("pfc-everywhere", view.subject(), "PFC is on for all 8 priorities",
               "on for RoCE's priority only");
  const auto& ethtool = view.now.ethtool;
  if (!ethtool || !ethtool->pause) {
    report.could_not_tell("pause-and-pfc", view.subject(),
                          "the driver does not tell its pause setting");
  } else if (on > 0 && (ethtool->pause->receive == true || ethtool->pause->transmit == true)) {
    report.add(
        "pause-and-pfc", view.subject(),
        fmt::format(
            "global pause is on ({}{}{}) beside PFC", ethtool->pause->receive == true ? "rx" : "",
            ethtool->pause->receive == true && ethtool->pause->transmit == true ? " and " : "",
            ethtool->pause->transmit == true ? "tx" : ""),
        "PFC alone");
  }
}

void check_ecn(const LosslessView& view, Report& report) {
  constexpr std::string_view kRule = "ecn-off";
  const auto& roce = view.port.now->roce;
  if (!roce || !roce->ecn_notification_point || !roce->ecn_reaction_point) {
    report.could_not_tell(kRule, view.subject(), "the driver does not tell its ECN setting");
    return;
  }
  const RoceClass of = roce_class(view);
  const auto is_off = [&](const PerPriority<bool>& role) {
    return of.priority ? !role[*of.priority] : count_on(role) == 0;
  };
  const bool np = is_off(*roce->ecn_notification_point);
  const bool rp = is_off(*roce->ecn_reaction_point);
  if (!np && !rp) {
    if (!of.priority)
      report.could_not_tell(kRule, view.subject(), "which priority RoCE has is not known");
    return;
  }
  const std::string roles = np && rp ? "notification and reaction"
                            : np     ? "notification"
                                     : "reaction";
  report.add(kRule, view.subject(),
             of.priority ? fmt::format("{} off on priority {}", roles, *of.priority)
                         : fmt::format("{} off on every priority", roles),
             "both on for RoCE's priority");
}

void check_trust(const LosslessView& view, Report& report) {
  constexpr std::string_view kRule = "dscp-trust-missing";
  if (!view.now.dcb || !view.now.dcb->trust) {
    report.could_not_tell(kRule, view.subject(), "the driver does not tell what it trusts");
    return;
  }
  const DcbSnapshot& dcb = *view.now.dcb;
  const bool lossless = dcb.pfc_enabled && count_on(*dcb.pfc_enabled) > 0;
  const RoceClass roce = roce_class(view);
  if (!lossless || !roce.dscp || *roce.dscp == 0 || dcb.trust == Trust::kDscp) return;
  report.add(kRule, view.subject(),
             fmt::format("RoCE is sent with DSCP {}, the netdev trusts PCP ({})", *roce.dscp,
                         dcb.trust_learnt_from),
             "trust in DSCP");
}

// One priority's part of a metric, in its base unit.
std::optional<double> of_priority(const std::vector<CounterSample>& counters,
                                  std::string_view metric, std::string_view priority) {
  std::optional<double> sum;
  for (const CounterSample& sample : counters) {
    if (sample.spec == nullptr || sample.spec->metric->name != metric ||
        sample.spec->index != priority)
      continue;
    sum = sum.value_or(0) + static_cast<double>(sample.value) * sample.spec->scale;
  }
  return sum;
}

std::optional<double> rise(const LosslessView& view, std::string_view metric,
                           std::string_view priority) {
  const auto was = of_priority(view.before->counters, metric, priority);
  const auto is = of_priority(view.now.counters, metric, priority);
  if (!was || !is || *is < *was) return std::nullopt;
  return *is - *was;
}

constexpr std::array<std::string_view, kPriorities> kPriorityNames = {"0", "1", "2", "3",
                                                                      "4", "5", "6", "7"};

struct PauseRule {
  std::string_view rule;
  std::string_view metric;
  double share;
  std::string_view what;
};
constexpr std::array<PauseRule, 2> kPauseRules = {{
    {"pfc-storm", "rdma_nic_pfc_tx_pause_seconds_total", kStormShare,
     "this host pauses the network"},
    {"pfc-victim", "rdma_nic_pfc_rx_pause_seconds_total", kVictimShare,
     "the network pauses this host"},
}};

void check_pauses(const LosslessView& view, const PauseRule& rule, Report& report) {
  bool counted = false;
  for (const std::string_view priority : kPriorityNames) {
    const auto paused = rise(view, rule.metric, priority);
    if (!paused) continue;
    counted = true;
    const double share = *paused / view.port.device->seconds;
    if (share <= rule.share) continue;
    report.add(rule.rule, view.subject(),
               fmt::format("{} on priority {} for {} % of the time", rule.what, priority,
                           number_text(share * 100)),
               fmt::format("at most {} %", number_text(rule.share * 100)));
  }
  if (!counted) report.could_not_tell(rule.rule, view.subject(), "the driver counts no pause time");
}

void check_drops(const LosslessView& view, Report& report) {
  constexpr std::string_view kRule = "lossless-drops";
  constexpr std::array<std::string_view, 2> kDrops = {"rdma_nic_prio_rx_discards_total",
                                                      "rdma_nic_prio_rx_buffer_discards_total"};
  if (!view.now.dcb || !view.now.dcb->pfc_enabled) {
    report.could_not_tell(kRule, view.subject(), "the driver does not tell its PFC setting");
    return;
  }
  bool counted = false;
  for (std::size_t i = 0; i < kPriorities; ++i) {
    double drops = 0;
    for (const std::string_view metric : kDrops) {
      const auto more = rise(view, metric, kPriorityNames[i]);
      counted = counted || more.has_value();
      drops += more.value_or(0);
    }
    if (drops < 1 || !(*view.now.dcb->pfc_enabled)[i]) continue;
    report.add(kRule, view.subject(),
               fmt::format("{} packets dropped on priority {}, which has PFC, in {} s",
                           number_text(drops), i, number_text(view.port.device->seconds)),
               "none");
  }
  if (!counted)
    report.could_not_tell(kRule, view.subject(), "the driver counts no drops by priority");
}

void check_rates(const LosslessView& view, Report& report) {
  if (view.before == nullptr || view.port.device->seconds <= 0) {
    for (const char* rule : {"pfc-storm", "pfc-victim", "lossless-drops"})
      report.could_not_tell(rule, view.subject(), "one look gives no rate");
    return;
  }
  for (const PauseRule& rule : kPauseRules) check_pauses(view, rule, report);
  check_drops(view, report);
}

}  // namespace

void check_lossless(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    if (device.now->protocol != Protocol::kRoce) continue;
    for (const PortView& port : device.ports) {
      for (const NetdevSnapshot* netdev : netdevs_of(port)) {
        const LosslessView view{port, *netdev,
                                device.before ? device.before->find_netdev(netdev->name) : nullptr};
        check_rates(view, report);
        check_pfc(view, report);
        check_ecn(view, report);
        check_trust(view, report);
      }
    }
  }
}

}  // namespace rdmadiag::core
