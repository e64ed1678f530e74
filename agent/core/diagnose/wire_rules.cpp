// What the Ethernet side of a port says of the wire: blocks that FEC could not repair, and the
// transceiver against the limits it brings along itself.
#include <fmt/format.h>

#include <cmath>

#include "agent/core/diagnose/counter_sums.h"
#include "agent/core/diagnose/missing.h"
#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

void check_fec(const Subject& subject, const DeviceSnapshot& device, const NetdevSnapshot& now,
               const NetdevSnapshot* before, double seconds, Report& report) {
  static const MetricSet kLost{"rdma_nic_fec_uncorrectable_blocks_total"};
  constexpr std::string_view kRule = "link-fec";
  const CounterSums sums(now.counters, before ? &before->counters : nullptr);
  if (!sums.total(kLost)) {
    if (report.lists_unknown()) report.could_not_tell(kRule, subject, why_missing(device, now));
    return;
  }
  if (!sums.has_before()) {
    report.could_not_tell(kRule, subject, "one look gives no rate");
    return;
  }
  const auto lost = sums.increase(kLost);
  if (!lost) {
    report.could_not_tell(kRule, subject, "the counter was reset between the two looks");
  } else if (*lost >= 1) {
    report.add(
        kRule, subject,
        fmt::format("{} blocks beyond repair in {} s", number_text(*lost), number_text(seconds)),
        "none");
  }
}

std::string power_text(double watts) {
  if (watts <= 0) return "no light";
  return fmt::format("{:.1f} dBm", 10 * std::log10(watts * 1000));
}

void check_lanes(const Subject& subject, const ModuleSnapshot& module, Report& report) {
  for (std::size_t i = 0; i < module.lanes.size(); ++i) {
    const ModuleLane& lane = module.lanes[i];
    const auto judge = [&](const std::optional<double>& watts,
                           const std::optional<ModuleLimits>& limits, std::string_view what) {
      if (!watts || !limits || limits->low_warning <= 0 || *watts >= limits->low_warning) return;
      report.add(
          "link-optics", subject, fmt::format("lane {} {} {}", i + 1, what, power_text(*watts)),
          fmt::format("{} or more, the module's own limit", power_text(limits->low_warning)));
    };
    judge(lane.receive_watts, module.receive_limits, "receives");
    judge(lane.transmit_watts, module.transmit_limits, "sends");
  }
}

void check_module(const Subject& subject, const NetdevSnapshot& netdev, Report& report) {
  constexpr std::string_view kRule = "link-optics";
  if (!netdev.module) {
    report.could_not_tell(kRule, subject, "the module cannot be read");
    return;
  }
  const ModuleSnapshot& module = *netdev.module;
  const auto& limits = module.temperature_limits;
  if (module.temperature_celsius && limits && limits->high_warning > 0 &&
      *module.temperature_celsius > limits->high_warning) {
    report.add(
        kRule, subject,
        fmt::format("module at {} degrees C", number_text(*module.temperature_celsius)),
        fmt::format("at most {}, the module's own limit", number_text(limits->high_warning)));
  }
  if (module.optical) check_lanes(subject, module, report);
  if (!module.optical && !module.temperature_celsius) return;  // copper: nothing to judge
  if (!limits && !module.receive_limits)
    report.could_not_tell(kRule, subject, "the module states no limits");
}

}  // namespace

void check_wire(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    for (const PortView& port : device.ports) {
      if (port.now->link_layer != LinkLayer::kEthernet) continue;
      for (const NetdevSnapshot* netdev : netdevs_of(port)) {
        const Subject subject{
            .device = device.now->name, .port = port.now->number, .netdev = netdev->name};
        check_fec(subject, *device.now, *netdev,
                  device.before ? device.before->find_netdev(netdev->name) : nullptr,
                  device.seconds, report);
        check_module(subject, *netdev, report);
      }
    }
  }
}

}  // namespace rdmadiag::core
