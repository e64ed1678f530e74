// The counter catalogue: what every kernel counter name means, as data. The table is generated at
// build time from catalogue/*.tsv; a bad row fails the build with its file and line.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rdmadiag::core {

// Where a raw counter is read from.
enum class CounterSource : std::uint8_t {
  kPortCounters,      // ports/N/counters
  kPortHwCounters,    // ports/N/hw_counters, RDMA netlink STAT_GET, qib's ports/N/diag_counters
  kDeviceHwCounters,  // DEV/hw_counters, devlink vnic diagnose
  kEthtool,           // ethtool -S of the netdev
};

enum class MetricType : std::uint8_t { kCounter, kGauge };

// What an increase means on a healthy fabric.
enum class Severity : std::uint8_t { kInfo, kWarn, kCritical };

// One exported metric. `scope` decides the labels: device | device, port | device, netdev (+
// priority and the like).
enum class MetricScope : std::uint8_t { kDevice, kPort, kNetdev };

struct MetricSpec {
  std::string_view name;  // "rdma_port_rx_bytes_total"
  MetricType type;
  MetricScope scope;
  std::string_view index_label = "";  // one more label, its value in CounterSpec::index; or none
  std::string_view help;              // one sentence that names the kernel source
  std::string_view counter_class;     // "retransmit", "cnp_ecn", …
  Severity severity;
};

// One kernel counter of one driver.
struct CounterSpec {
  CounterSource source;
  std::string_view driver;      // "" = any driver
  std::string_view name;        // the kernel's own, exact: may hold spaces, commas
  std::string_view index = "";  // the number inside a name like rx_prio3_pause, or none
  std::string_view unit;        // as counted by the driver: "packets", "4-octet words"
  double scale;                 // raw value × scale = metric value in its base unit
  std::uint8_t width_bits;      // stands still at 2^width − 1; 0 when it does not or is not known
  const MetricSpec* metric;  // never null: a counter with no canonical name has a metric of its own
  std::string_view counter_class;  // of this counter
  Severity severity;
  std::string_view meaning;
};

[[nodiscard]] std::span<const MetricSpec> all_metrics();
[[nodiscard]] std::span<const CounterSpec> all_counters();

// The row for `name` as read from `source` on a device of `driver` (rows for any driver included);
// nullptr when the catalogue does not know it. O(log n).
[[nodiscard]] const CounterSpec* find_counter(CounterSource source, std::string_view driver,
                                              std::string_view name);

}  // namespace rdmadiag::core
