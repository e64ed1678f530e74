// What the Ethernet side of a device says beside its counters: link, pause, FEC, DCB, the
// transceiver, and the health its driver reports through devlink. Plain data, part of the
// snapshot; empty is "not known", never 0. Counts are CounterSamples of the netdev, not here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"

namespace rdmadiag::core {

inline constexpr std::size_t kPriorities = 8;
template <class T>
using PerPriority = std::array<T, kPriorities>;

// ethtool LINKSTATE and LINKMODES. The numbers are the kernel's (ETHTOOL_LINK_EXT_STATE_*).
struct LinkDetail {
  std::optional<bool> up;
  std::optional<int> extended_state;  // why it is down: 4 no cable, 9 overheat, …
  std::optional<int> extended_substate;
  std::optional<bool> autonegotiation;
  std::optional<bool> full_duplex;
  std::optional<std::uint64_t> speed_bits_per_second;
  std::optional<int> lanes;
};
[[nodiscard]] std::string extended_state_name(int state);  // "no cable"; "77" when unknown

// 802.3x, the whole link: not PFC.
struct PauseSettings {
  std::optional<bool> autonegotiation;
  std::optional<bool> receive;
  std::optional<bool> transmit;
};

// Of each lane in order; empty where the driver counts only the sum.
struct FecLaneCounts {
  std::vector<std::uint64_t> corrected_blocks;
  std::vector<std::uint64_t> uncorrectable_blocks;
  std::vector<std::uint64_t> corrected_bits;
};

struct FecSettings {
  std::optional<bool> automatic;
  std::vector<std::string> configured;  // "RS", "BaseR", "LLRS", "off"
  std::string active;                   // one of these; empty when the driver does not say
  FecLaneCounts lanes;
};

struct EthtoolSnapshot {
  std::string driver;  // of the netdev: "mlx5_core", "bnxt_en"
  std::string driver_version;
  std::string firmware;
  LinkDetail link;
  std::optional<PauseSettings> pause;
  std::optional<FecSettings> fec;
};

// One lane of a transceiver.
struct ModuleLane {
  std::optional<double> bias_amperes;
  std::optional<double> transmit_watts;
  std::optional<double> receive_watts;
};

// The module's own limits, in the unit of the value.
struct ModuleLimits {
  double low_alarm = 0;
  double low_warning = 0;
  double high_warning = 0;
  double high_alarm = 0;
};

struct ModuleSnapshot {
  int identifier = 0;  // SFF-8024, byte 0
  std::string type;    // "QSFP28", "OSFP"; "0x42" when unknown
  std::string vendor;  // as written in the module, trimmed
  std::string part_number;
  std::string serial_number;
  std::string revision;
  bool optical = false;  // false: copper, no readings of light
  std::optional<double> temperature_celsius;
  std::optional<double> voltage;
  std::vector<ModuleLane> lanes;
  std::optional<ModuleLimits> temperature_limits;
  std::optional<ModuleLimits> voltage_limits;
  std::optional<ModuleLimits> bias_limits;
  std::optional<ModuleLimits> transmit_limits;
  std::optional<ModuleLimits> receive_limits;
  SystemTime read_at{};  // read far less often than the rest
};

struct EtsSettings {
  bool willing = false;
  int capable_classes = 0;                        // 0: the driver does not say
  PerPriority<std::uint8_t> bandwidth_percent{};  // by traffic class
  PerPriority<std::uint8_t> algorithm{};          // 0 strict, 1 credit shaper, 2 ETS, 255 vendor
  PerPriority<std::uint8_t> traffic_class{};      // by priority
};

// struct dcbnl_buffer.
struct BufferSettings {
  PerPriority<std::uint8_t> buffer_of_priority{};
  std::array<std::uint32_t, 8> size_bytes{};
  std::uint32_t total_bytes = 0;
};

struct DcbApplication {
  int selector = 0;  // 1 ethertype, 2 stream port, 3 datagram port, 4 any port, 5 DSCP, 255 PCP
  std::uint32_t protocol = 0;
  int priority = 0;
};

enum class Trust : std::uint8_t { kPcp, kDscp };

struct DcbSnapshot {
  std::optional<int> mode;  // DCBX bits: 1 host, 2 LLD managed, 4 CEE, 8 IEEE, 16 static
  std::optional<int> pfc_capable_classes;
  std::optional<PerPriority<bool>> pfc_enabled;
  std::optional<std::uint16_t> pfc_delay;
  std::optional<EtsSettings> ets;
  std::optional<BufferSettings> buffer;
  std::vector<DcbApplication> applications;
  std::optional<Trust> trust;
  std::string trust_learnt_from;  // "dcb trust table", "dcb app table", "sysfs qos/trust"

  // The priority a DSCP is given, where the table has it.
  [[nodiscard]] std::optional<int> priority_of_dscp(std::uint32_t dscp) const;
};

// Congestion control as configured, where the driver shows it. Read only.
struct RoceSettings {
  std::optional<PerPriority<bool>> ecn_notification_point;  // answers marks with CNPs
  std::optional<PerPriority<bool>> ecn_reaction_point;      // slows down on CNPs
  std::optional<int> cnp_dscp;
  std::optional<int> cnp_priority;
  std::optional<int> default_tos;    // of rdma_cm
  std::string default_mode;          // of rdma_cm: "RoCE v2"
  std::optional<int> traffic_class;  // the vendor's global override

  [[nodiscard]] bool empty() const {
    return !ecn_notification_point && !ecn_reaction_point && !cnp_dscp && !cnp_priority &&
           !default_tos && default_mode.empty() && !traffic_class;
  }
};

// A devlink health reporter: "fw", "fw_fatal", "vnic", "tx", "rx", …
struct HealthReporter {
  std::string name;
  std::string handle;                       // "pci/0000:3b:00.0"
  std::optional<std::uint32_t> port_index;  // of a port's reporter
  std::optional<int> state;                 // 0 healthy, 1 error
  std::optional<std::uint64_t> errors;
  std::optional<std::uint64_t> recoveries;
  std::optional<bool> automatic_recovery;
};

// Of devlink's info: a running version unlike the stored one waits for a reset.
struct FirmwareVersion {
  std::string name;  // "fw", "fw.version", "fw.psid"
  std::string fixed;
  std::string running;
  std::string stored;
  [[nodiscard]] bool reset_pending() const {
    return !running.empty() && !stored.empty() && running != stored;
  }
};

}  // namespace rdmadiag::core
