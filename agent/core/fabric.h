// An InfiniBand subnet as one look at it shows it: nodes, ports, links, port counters. Read by
// agent/host/fabric; judged here, purely.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/finding.h"

namespace rdmadiag::core {

struct FabricLink {
  int width_lanes = 0;              // 0 when not known
  double lane_bits_per_second = 0;  // 0 when not known
  friend bool operator==(const FabricLink&, const FabricLink&) = default;
};

struct FabricPort {
  int number = 0;
  int state = 0;  // as the port's own PortInfo says, numbers as in sysfs
  int physical_state = 0;
  std::uint32_t lid = 0;
  FabricLink active;
  FabricLink supported;              // the widest and fastest the port can do
  std::uint64_t neighbour_guid = 0;  // 0: none, or it did not answer
  int neighbour_port = 0;
  // Port counters by their sysfs names ("symbol_error"); traffic in bytes and packets. Empty when
  // they could not be read; then `unread` says why.
  std::map<std::string, std::uint64_t> counters;
  std::string unread;
};

struct FabricNode {
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::string description;
  std::vector<FabricPort> ports;
};

struct Fabric {
  std::vector<FabricNode> nodes;     // switches first, then by description
  std::vector<std::string> missing;  // what did not answer, or was left out when time ran out

  [[nodiscard]] const FabricNode* find(std::uint64_t guid) const;
  [[nodiscard]] const FabricPort* neighbour_of(const FabricPort& port) const;
};

// "node description port 3", with the GUID where the description is empty.
[[nodiscard]] std::string fabric_port_name(const FabricNode& node, const FabricPort& port);
[[nodiscard]] std::string fabric_link_text(const FabricLink& link);  // "4X 25 Gb/s"

struct FabricFinding {
  FindingSeverity severity = FindingSeverity::kWarning;
  std::string
      rule;  // fabric-width, fabric-speed, fabric-errors, fabric-silent, fabric-initialising
  std::string subject;  // both ends of a link, or one port
  std::string found;
  std::string expected;
};

// Links below what both ends can do, ports that are up but lead nowhere or wait for the subnet
// manager, ports whose error counters are not 0. With `before`, errors are counted since then;
// without it lifetime totals are told as information only.
[[nodiscard]] std::vector<FabricFinding> judge_fabric(const Fabric& now, const Fabric* before);

}  // namespace rdmadiag::core
