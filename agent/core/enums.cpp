#include "agent/core/enums.h"

#include <array>
#include <cstddef>

namespace rdmadiag::core {
namespace {

template <std::size_t N>
std::string word(const std::array<std::string_view, N>& words, int value) {
  if (value >= 0 && static_cast<std::size_t>(value) < N) {
    const std::string_view found = words[static_cast<std::size_t>(value)];
    if (!found.empty()) return std::string(found);
  }
  return std::to_string(value);
}

constexpr std::array<std::string_view, 6> kPortStates = {"NOP",   "DOWN",   "INIT",
                                                         "ARMED", "ACTIVE", "ACTIVE_DEFER"};
constexpr std::array<std::string_view, 8> kPhysStates = {"",
                                                         "Sleep",
                                                         "Polling",
                                                         "Disabled",
                                                         "PortConfigurationTraining",
                                                         "LinkUp",
                                                         "LinkErrorRecovery",
                                                         "Phy Test"};
constexpr std::array<std::string_view, 8> kNodeTypes = {
    "", "CA", "switch", "router", "RNIC", "usNIC", "usNIC UDP", "unspecified"};
constexpr std::array<std::string_view, 7> kQpStates = {"RESET", "INIT", "RTR", "RTS",
                                                       "SQD",   "SQE",  "ERR"};
constexpr std::array<std::string_view, 11> kQpTypes = {
    "SMI", "GSI", "RC", "UC", "UD", "", "", "", "RAW_PACKET", "XRC_INI", "XRC_TGT"};

}  // namespace

std::string port_state_name(int state) { return word(kPortStates, state); }
std::string physical_state_name(int state) { return word(kPhysStates, state); }
std::string node_type_name(int node_type) { return word(kNodeTypes, node_type); }
std::string qp_state_name(int state) { return word(kQpStates, state); }
std::string qp_type_name(int type) { return type == 0xff ? "DRIVER" : word(kQpTypes, type); }

std::string_view link_layer_name(LinkLayer value) {
  switch (value) {
    case LinkLayer::kInfiniband: return "InfiniBand";
    case LinkLayer::kEthernet: return "Ethernet";
    case LinkLayer::kUnknown: return "Unknown";
  }
  return "Unknown";
}

std::string_view protocol_name(Protocol value) {
  switch (value) {
    case Protocol::kInfiniband: return "ib";
    case Protocol::kRoce: return "roce";
    case Protocol::kIwarp: return "iwarp";
    case Protocol::kOmniPath: return "opa";
    case Protocol::kUsnic: return "usnic";
    case Protocol::kEfa: return "efa";
    case Protocol::kUnknown: return "unknown";
  }
  return "unknown";
}

std::string_view gid_type_name(GidType value) {
  switch (value) {
    case GidType::kIb: return "ib";
    case GidType::kRoceV1: return "roce_v1";
    case GidType::kRoceV2: return "roce_v2";
    case GidType::kUnknown: return "unknown";
  }
  return "unknown";
}

LinkLayer parse_link_layer(std::string_view text) {
  if (text == "InfiniBand") return LinkLayer::kInfiniband;
  if (text == "Ethernet") return LinkLayer::kEthernet;
  return LinkLayer::kUnknown;
}

Protocol parse_protocol(std::string_view text) {
  if (text == "ib") return Protocol::kInfiniband;
  if (text == "roce") return Protocol::kRoce;
  if (text == "iw" || text == "iwarp") return Protocol::kIwarp;
  if (text == "opa") return Protocol::kOmniPath;
  if (text == "usnic") return Protocol::kUsnic;
  if (text == "efa") return Protocol::kEfa;
  return Protocol::kUnknown;
}

}  // namespace rdmadiag::core
