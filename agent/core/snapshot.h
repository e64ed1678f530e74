// The one model of a host's RDMA state. The kernel is read into it once (agent/host/collect); every
// output is a pure function of it. A field that could not be known is empty, never 0 or −1.
// Snapshots are immutable once published and shared between threads as shared_ptr<const …>.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/catalogue.h"
#include "agent/core/clock.h"
#include "agent/core/enums.h"
#include "agent/core/nic.h"

namespace rdmadiag::core {

// A kernel interface that can fail on its own; the `source` label of the agent's metrics.
enum class Source : std::uint8_t {
  kSysfsPort,
  kSysfsCounters,
  kSysfsHwCounters,
  kRdmaNetlink,
  kNetdev,
  kEthtool,
  kDcb,
  kDevlink,
  kPcie,
  kProbe,
  kHost,
};
inline constexpr std::size_t kSourceCount = 11;
[[nodiscard]] std::string_view source_name(Source source);  // "sysfs_port"
[[nodiscard]] std::optional<Source> parse_source(std::string_view name);

// Why a value is missing; the `reason` label.
enum class IssueReason : std::uint8_t {
  kEnoent,
  kEinval,
  kEopnotsupp,
  kEperm,  // and EACCES
  kEio,
  kEnodev,  // and ENXIO
  kParse,
  kTimeout,
  kOther,
};
inline constexpr std::size_t kIssueReasonCount = 9;
[[nodiscard]] std::string_view reason_name(IssueReason reason);  // "enoent"
[[nodiscard]] IssueReason classify_errno(int error_number);

// One value that could not be read. `path` is a file, or "netlink:STAT_GET port 1" and the like.
struct ReadIssue {
  Source source = Source::kSysfsPort;
  std::string path;
  IssueReason reason = IssueReason::kOther;
  int error_number = 0;  // 0 for parse errors and time-outs
  std::string detail;    // the offending content for parse errors, cut and escaped; may be empty
  bool backing_off = false;  // not tried this time: failed too often, next try later
};

// How one source did on one device at the last read, and since start.
struct SourceStatus {
  Source source = Source::kSysfsPort;
  bool success = false;  // the source as a whole was read; single missing values do not clear it
  std::chrono::nanoseconds duration{0};
  std::optional<SystemTime> last_success;
  std::array<std::uint64_t, kIssueReasonCount> errors{};  // since start, by reason
};

// A counter as read. `spec` is null for what the catalogue does not know; then `name` says it.
struct CounterSample {
  CounterSource source = CounterSource::kPortCounters;
  const CounterSpec* spec = nullptr;
  std::string unknown_name;  // set only when spec is null
  std::uint64_t value = 0;   // raw, as the kernel counts

  [[nodiscard]] std::string_view name() const { return spec ? spec->name : unknown_name; }
  // A fixed-width field at its maximum: it will not move any more, "no increase" means nothing.
  // Exactly at it: a 64-bit counter shares its name with the 32-bit one on some devices.
  [[nodiscard]] bool saturated() const {
    return spec != nullptr && spec->width_bits > 0 && spec->width_bits < 64 &&
           value == (std::uint64_t{1} << spec->width_bits) - 1;
  }
};

using Gid = std::array<std::uint8_t, 16>;

struct GidEntry {
  int index = 0;
  Gid gid{};
  GidType type = GidType::kUnknown;
  std::string netdev;  // empty on InfiniBand or when unreadable
};

// The `rate` file, parsed: "100 Gb/sec (4X EDR)".
struct PortRate {
  double bits_per_second = 0;
  std::optional<int> width_lanes;
  std::string speed_name;  // "EDR"; empty when the kernel gave none
};

struct PortSnapshot {
  std::uint32_t number = 0;
  LinkLayer link_layer = LinkLayer::kUnknown;
  std::optional<int> state;
  std::optional<int> physical_state;
  std::optional<PortRate> rate;  // as the kernel says, also when the port is down
  std::optional<std::uint32_t> lid;
  std::optional<std::uint32_t> sm_lid;
  std::optional<std::uint32_t> sm_sl;
  std::optional<std::uint32_t> lid_mask_count;
  std::optional<std::uint32_t> cap_mask;
  std::optional<std::uint64_t> subnet_prefix;
  std::optional<int> active_mtu_bytes;  // RDMA path MTU; only where verbs or the netdev tell
  std::optional<int> max_mtu_bytes;
  std::vector<GidEntry> gids;  // filled slots only
  std::optional<int> pkeys;    // filled slots
  std::string netdev;          // the netdev the port runs on; a bond's master where there is one
  std::vector<CounterSample> counters;                 // kPortCounters and kPortHwCounters
  std::optional<std::uint64_t> lifespan_milliseconds;  // hw_counters/lifespan
  std::optional<RoceSettings> roce;

  [[nodiscard]] bool is_active() const { return state == kPortStateActive; }
  [[nodiscard]] bool is_up() const { return is_active() && physical_state == kPhysStateLinkUp; }
};

// What the kernel goes by: the higher of the netdev's own and the one for all.
struct Ipv4Settings {
  std::optional<int> arp_ignore;
  std::optional<int> arp_announce;
  std::optional<int> rp_filter;
};

struct NetdevSnapshot {
  std::string name;
  std::string master;  // the bond or bridge above, if any
  bool is_bond = false;
  bool is_bond_member = false;
  bool is_vf = false;
  std::optional<int> mtu_bytes;
  std::optional<bool> carrier;
  std::string operstate;
  std::optional<std::uint64_t> speed_bits_per_second;  // empty when unknown or down
  std::optional<std::uint64_t> carrier_changes;
  std::optional<std::uint64_t> carrier_down_count;
  std::optional<std::vector<std::string>> addresses;  // "10.0.0.1/24"; live hosts only
  std::optional<Ipv4Settings> ipv4;                   // live hosts only
  std::vector<std::string> bond_members;
  std::map<std::string, std::uint64_t> statistics;  // /sys/class/net/X/statistics
  std::vector<CounterSample> counters;              // kEthtool
  std::optional<EthtoolSnapshot> ethtool;
  std::optional<DcbSnapshot> dcb;
  std::optional<ModuleSnapshot> module;
};

struct PcieSnapshot {
  std::string address;  // "0000:3b:00.0"; identity of the device
  std::optional<int> current_width_lanes;
  std::optional<int> max_width_lanes;
  std::optional<double> current_speed_transfers_per_second;
  std::optional<double> max_speed_transfers_per_second;
  // What the slot above can do: a card can be made for more than its slot has.
  std::optional<int> slot_max_width_lanes = std::nullopt;
  std::optional<double> slot_max_speed_transfers_per_second = std::nullopt;
  std::optional<int> numa_node;
  std::string local_cpus;    // "0-31"
  std::string iommu_domain;  // "identity", "DMA", "DMA-FQ"; empty without an IOMMU
  // A bridge above sends transfers between devices to the root; live hosts only.
  std::optional<bool> acs_redirects = std::nullopt;
  bool is_vf = false;
  // TOTAL_ERR_* of aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal
  std::optional<std::uint64_t> aer_correctable;
  std::optional<std::uint64_t> aer_nonfatal;
  std::optional<std::uint64_t> aer_fatal;
};

// The device's way into user space.
struct DeviceNode {
  std::string path;    // of the uverbs character device; empty when the kernel offers none
  int open_error = 0;  // positive errno of opening it for reading
};

// Where the device's interrupts go.
struct Interrupts {
  int total = 0;
  int remote = 0;  // to CPUs that are not near the device
};

struct TemperatureSample {
  std::string sensor;  // hwmon label, else "temp1"
  double celsius = 0;
  std::optional<double> critical_celsius;
};

struct ResourceCount {
  std::string object;  // "qp", "cq", "mr", "pd", "cm_id", "ctx", "srq"
  std::uint64_t current = 0;
  std::optional<std::uint64_t> max;
};

// One queue pair, from RES_QP_GET (opt-in: the kernel may ask the firmware for each).
struct QueuePair {
  std::uint32_t local_qpn = 0;
  std::optional<std::uint32_t> remote_qpn;
  std::uint32_t port = 0;  // 0 when not said
  int type = 0;
  int state = 0;
  std::optional<std::uint32_t> rq_psn;
  std::optional<std::uint32_t> sq_psn;
  std::optional<std::uint32_t> pid;  // in the reader's namespace
  std::string owner;                 // kernel owner's name, or the process's command
};

struct DeviceSnapshot {
  std::string name;
  std::string driver;  // "mlx5", "bnxt_re", …: the catalogue's names; empty when unknown
  std::string firmware;
  std::string board_id;
  std::string hca_type;
  std::string node_description;
  std::optional<int> node_type;
  std::string node_guid;  // "0c42:a103:0065:1d7e"
  std::string sys_image_guid;
  Protocol protocol = Protocol::kUnknown;
  std::optional<std::uint32_t> netlink_index;
  PcieSnapshot pcie;
  std::optional<DeviceNode> node;        // live hosts only
  std::optional<Interrupts> interrupts;  // live hosts only
  std::vector<TemperatureSample> temperatures;
  std::vector<PortSnapshot> ports;
  std::vector<CounterSample> counters;  // kDeviceHwCounters
  std::vector<NetdevSnapshot> netdevs;  // those of its ports, bond members included, each once
  std::vector<ResourceCount> resources;
  std::optional<std::vector<QueuePair>> queue_pairs;  // empty unless asked for
  std::vector<HealthReporter> health;                 // devlink
  std::vector<FirmwareVersion> firmware_versions;     // devlink

  std::vector<SourceStatus> sources;
  std::vector<ReadIssue> issues;
  SystemTime read_at{};      // wall clock of the last complete read
  SteadyTime read_steady{};  // the same moment, for ages and rates

  [[nodiscard]] const NetdevSnapshot* find_netdev(std::string_view netdev) const;
};

// What the collector knows of one device at the moment of the request.
struct DeviceEntry {
  std::string name;
  // The last complete read within the deadline of this request. Null when the device is stuck or
  // has vanished: its counters are then absent, never stale.
  std::shared_ptr<const DeviceSnapshot> snapshot;
  bool present = true;  // false for the grace time after a device vanished
  bool stuck = false;   // its read did not return within the deadline
  std::optional<std::chrono::nanoseconds>
      age;                            // since the last complete read; empty if there was none
  std::vector<SourceStatus> sources;  // of this device also when stuck; from the snapshot otherwise
  std::vector<std::uint32_t> known_ports;  // those of the last complete read, also when it has gone
};

// GPUs share their memory with RDMA devices where a module of theirs lets them.
struct GpuSupport {
  std::string driver;       // "nvidia"; empty when none is loaded that needs a module
  std::string peer_memory;  // "nvidia_peermem"; empty when it is not loaded
};

struct HostSnapshot {
  SystemTime taken_at{};
  SteadyTime taken_steady{};
  std::string hostname;
  std::string kernel_release;
  std::optional<bool> netns_shared;   // RDMA netlink SYS_GET: shared or exclusive
  std::optional<GpuSupport> gpu;      // empty when modules cannot be listed
  bool has_rdma_class = false;        // /sys/class/infiniband exists
  std::vector<DeviceEntry> devices;   // sorted by name
  std::vector<SourceStatus> sources;  // of the discovery itself; device label empty
  std::vector<ReadIssue> issues;      // of the discovery itself
};

}  // namespace rdmadiag::core
