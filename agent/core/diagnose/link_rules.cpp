// Port state, rate, saturated fields and the PCIe link.
#include <fmt/format.h>

#include <algorithm>

#include "agent/core/diagnose/rules.h"

namespace rdmadiag::core {
namespace {

constexpr int kPhysStateDisabled = 3;
constexpr int kPortStateInit = 2;

// A port somebody switched off, or that never had a cable, is no fault unless it is expected.
FindingSeverity down_severity(const PortView& port) {
  return port.now->physical_state == kPhysStateDisabled ? FindingSeverity::kInfo
                                                        : FindingSeverity::kCritical;
}

// Why the netdev has no link, where ethtool says: ", no cable".
std::string cause(const PortView& port) {
  for (const NetdevSnapshot* netdev : netdevs_of(port)) {
    if (!netdev->ethtool || !netdev->ethtool->link.extended_state) continue;
    return ", " + extended_state_name(*netdev->ethtool->link.extended_state);
  }
  return "";
}

void check_state(const PortView& port, Report& report) {
  if (!port.now->state) {
    report.could_not_tell("link-down", port.subject(), "the port's state cannot be read");
    return;
  }
  if (port.now->is_active()) return;
  const std::string physical =
      port.now->physical_state ? physical_state_name(*port.now->physical_state) : "unknown";
  const std::string found = fmt::format("state {}, physical state {}{}",
                                        port_state_name(*port.now->state), physical, cause(port));
  const bool waits_for_manager = port.now->state >= kPortStateInit &&
                                 port.now->physical_state == kPhysStateLinkUp &&
                                 port.now->link_layer == LinkLayer::kInfiniband;
  if (waits_for_manager) {
    report.add("link-initialising", port.subject(), found, "ACTIVE");
  } else {
    report.add("link-down", port.subject(), down_severity(port), found, "ACTIVE, LinkUp");
  }
}

void check_rate(const Evidence& evidence, const PortView& port, Report& report) {
  if (!port.now->is_active()) return;
  // A VF's and a software device's rate text is made up; the netdev says nothing better for them.
  if (port.device->now->pcie.is_vf) return;
  double expected = evidence.expect.rate_bits_per_second.value_or(0);
  std::string source = "expected by the configuration";
  if (expected == 0 && evidence.highest_rates != nullptr) {
    const auto seen = evidence.highest_rates->find({port.device->now->name, port.now->number});
    if (seen != evidence.highest_rates->end()) {
      expected = seen->second;
      source = "the highest seen since start";
    }
  }
  if (!port.now->rate || expected == 0) {
    report.could_not_tell("link-degraded", port.subject(),
                          port.now->rate ? "no expected rate and no history" : "no rate is known");
    return;
  }
  if (port.now->rate->bits_per_second >= expected) return;
  std::string found = rate_text(port.now->rate->bits_per_second);
  if (port.now->rate->width_lanes) found += fmt::format(" ({}X)", *port.now->rate->width_lanes);
  report.add("link-degraded", port.subject(), std::move(found),
             fmt::format("{}, {}", rate_text(expected), source));
}

void check_saturated(const PortView& port, Report& report) {
  for (const CounterSample& sample : port.now->counters) {
    if (!sample.saturated()) continue;
    // A full wait or traffic field loses a rate; a full error field hides errors.
    const bool counts_errors =
        sample.spec->counter_class != "traffic" && sample.spec->counter_class != "resource";
    report.add("counter-saturated", port.subject(),
               counts_errors ? FindingSeverity::kWarning : FindingSeverity::kInfo,
               fmt::format("{} stands at {}", sample.name(), sample.value),
               fmt::format("below {}", sample.value));
  }
}

void check_pcie(const DeviceView& device, Report& report) {
  const PcieSnapshot& pcie = device.now->pcie;
  if (!pcie.current_width_lanes || !pcie.max_width_lanes ||
      !pcie.current_speed_transfers_per_second || !pcie.max_speed_transfers_per_second) {
    report.could_not_tell("pcie-degraded", device.subject(),
                          pcie.is_vf ? "a virtual function has no PCIe link of its own"
                                     : "the PCIe link cannot be read");
  } else if (*pcie.current_width_lanes < *pcie.max_width_lanes ||
             *pcie.current_speed_transfers_per_second < *pcie.max_speed_transfers_per_second) {
    const auto text = [](int lanes, double speed) {
      return fmt::format("x{} at {} GT/s", lanes, number_text(speed / 1e9));
    };
    report.add("pcie-degraded", device.subject(),
               text(*pcie.current_width_lanes, *pcie.current_speed_transfers_per_second),
               text(*pcie.max_width_lanes, *pcie.max_speed_transfers_per_second));
  }

  const auto check_errors = [&](std::string_view kind, std::optional<std::uint64_t> now,
                                std::optional<std::uint64_t> before, FindingSeverity severity) {
    if (!now) return;
    if (device.before == nullptr) {
      if (*now > 0) {
        report.add("pcie-errors", device.subject(), FindingSeverity::kInfo,
                   fmt::format("{} {} errors since boot; one look gives no rate", *now, kind),
                   "none");
      }
    } else if (before && *now > *before) {
      report.add(
          "pcie-errors", device.subject(), severity,
          fmt::format("{} {} errors in {} s", *now - *before, kind, number_text(device.seconds)),
          "none");
    }
  };
  const PcieSnapshot* before = device.before ? &device.before->pcie : nullptr;
  check_errors("correctable", pcie.aer_correctable, before ? before->aer_correctable : std::nullopt,
               FindingSeverity::kWarning);
  check_errors("non-fatal", pcie.aer_nonfatal, before ? before->aer_nonfatal : std::nullopt,
               FindingSeverity::kCritical);
  check_errors("fatal", pcie.aer_fatal, before ? before->aer_fatal : std::nullopt,
               FindingSeverity::kCritical);
  if (!pcie.aer_correctable && !pcie.aer_nonfatal && !pcie.aer_fatal) {
    report.could_not_tell("pcie-errors", device.subject(), "no AER counters");
  }
}

}  // namespace

void check_link(const Comparison& seen, Report& report) {
  for (const DeviceView& device : seen.devices()) {
    for (const PortView& port : device.ports) {
      check_state(port, report);
      check_rate(seen.evidence, port, report);
      check_saturated(port, report);
    }
    check_pcie(device, report);
  }
}

}  // namespace rdmadiag::core
