#include "agent/core/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "agent/core/enums.h"

namespace rdmadiag::core {
namespace {

constexpr int kPortStateInit = 2;

// What a healthy fabric never counts. Discards and waits are congestion, not damage.
constexpr std::array<std::string_view, 9> kErrorCounters = {
    "symbol_error",
    "link_error_recovery",
    "link_downed",
    "port_rcv_errors",
    "local_link_integrity_errors",
    "excessive_buffer_overrun_errors",
    "port_xmit_discards",
    "port_rcv_remote_physical_errors",
    "VL15_dropped",
};

const FabricPort* find_port(const FabricNode& node, int number) {
  for (const FabricPort& port : node.ports) {
    if (port.number == number) return &port;
  }
  return nullptr;
}

FabricLink best_of_both(const FabricLink& a, const FabricLink& b) {
  return {.width_lanes = std::min(a.width_lanes, b.width_lanes),
          .lane_bits_per_second = std::min(a.lane_bits_per_second, b.lane_bits_per_second)};
}

// Each link once: from its end with the smaller GUID, or port number within one node.
bool is_first_end(const FabricNode& node, const FabricPort& port) {
  if (node.guid != port.neighbour_guid) return node.guid < port.neighbour_guid;
  return port.number < port.neighbour_port;
}

void judge_link(const Fabric& fabric, const FabricNode& node, const FabricPort& port,
                std::vector<FabricFinding>& findings) {
  const FabricNode* other_node = fabric.find(port.neighbour_guid);
  const FabricPort* other = fabric.neighbour_of(port);
  if (other == nullptr || !is_first_end(node, port)) return;
  const FabricLink possible = best_of_both(port.supported, other->supported);
  const std::string subject =
      fabric_port_name(node, port) + " - " + fabric_port_name(*other_node, *other);
  if (port.active.width_lanes < possible.width_lanes) {
    findings.push_back({FindingSeverity::kWarning, "fabric-width", subject,
                        fabric_link_text(port.active), fabric_link_text(possible)});
  } else if (port.active.lane_bits_per_second < possible.lane_bits_per_second) {
    findings.push_back({FindingSeverity::kWarning, "fabric-speed", subject,
                        fabric_link_text(port.active), fabric_link_text(possible)});
  }
}

void judge_state(const FabricNode& node, const FabricPort& port,
                 std::vector<FabricFinding>& findings) {
  if (port.number == 0 || port.physical_state != kPhysStateLinkUp) return;
  if (port.neighbour_guid == 0) {
    findings.push_back({FindingSeverity::kWarning, "fabric-silent", fabric_port_name(node, port),
                        "the link is up, the node at its other end does not answer", "an answer"});
  } else if (port.state >= kPortStateInit && port.state < kPortStateActive) {
    findings.push_back({FindingSeverity::kCritical, "fabric-initialising",
                        fabric_port_name(node, port), "state " + port_state_name(port.state),
                        "ACTIVE: a subnet manager must see this port"});
  }
}

void judge_errors(const FabricNode& node, const FabricPort& port, const FabricPort* before,
                  std::vector<FabricFinding>& findings) {
  std::string found;
  for (const std::string_view name : kErrorCounters) {
    const auto counter = port.counters.find(std::string(name));
    if (counter == port.counters.end()) continue;
    std::uint64_t errors = counter->second;
    if (before != nullptr) {
      const auto earlier = before->counters.find(counter->first);
      if (earlier == before->counters.end() || earlier->second > errors) continue;
      errors -= earlier->second;
    }
    if (errors > 0) found += fmt::format("{}{} {}", found.empty() ? "" : ", ", name, errors);
  }
  if (found.empty()) return;
  findings.push_back({before ? FindingSeverity::kWarning : FindingSeverity::kInfo, "fabric-errors",
                      fabric_port_name(node, port), found,
                      before ? "none" : "none; one look gives no rate"});
}

}  // namespace

const FabricNode* Fabric::find(std::uint64_t guid) const {
  for (const FabricNode& node : nodes) {
    if (node.guid == guid) return &node;
  }
  return nullptr;
}

const FabricPort* Fabric::neighbour_of(const FabricPort& port) const {
  const FabricNode* node = port.neighbour_guid == 0 ? nullptr : find(port.neighbour_guid);
  return node == nullptr ? nullptr : find_port(*node, port.neighbour_port);
}

std::string fabric_port_name(const FabricNode& node, const FabricPort& port) {
  const std::string name =
      node.description.empty() ? fmt::format("0x{:016x}", node.guid) : node.description;
  return fmt::format("{} port {}", name, port.number);
}

std::string fabric_link_text(const FabricLink& link) {
  return fmt::format("{}X {:g} Gb/s", link.width_lanes,
                     link.lane_bits_per_second * link.width_lanes / 1e9);
}

std::vector<FabricFinding> judge_fabric(const Fabric& now, const Fabric* before) {
  std::vector<FabricFinding> findings;
  for (const FabricNode& node : now.nodes) {
    const FabricNode* old_node = before == nullptr ? nullptr : before->find(node.guid);
    for (const FabricPort& port : node.ports) {
      judge_state(node, port, findings);
      judge_link(now, node, port, findings);
      judge_errors(node, port, old_node ? find_port(*old_node, port.number) : nullptr, findings);
    }
  }
  std::stable_sort(
      findings.begin(), findings.end(),
      [](const FabricFinding& a, const FabricFinding& b) { return a.severity > b.severity; });
  return findings;
}

}  // namespace rdmadiag::core
