// What the rules of the diagnosis look at: two snapshots of one host and what is expected of it.
// Pure; nothing here reads the machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/expectations.h"
#include "agent/core/finding.h"
#include "agent/core/port_history.h"
#include "agent/core/probe.h"
#include "agent/core/process_limits.h"
#include "agent/core/resource_history.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::core {

struct Evidence {
  const HostSnapshot* now = nullptr;     // never null
  const HostSnapshot* before = nullptr;  // null when there is only one look
  Expectations expect = {};
  std::optional<ProcessLimits> limits = std::nullopt;  // empty: of a process elsewhere
  const RateHistory* highest_rates = nullptr;          // null when there is no history
  const ResourceGrowths* growths = nullptr;            // null when there is no history
  // Of the agent's probing at both looks; null where no agent runs, or there was no earlier look.
  const std::vector<ProbeSnapshot>* probes = nullptr;
  const std::vector<ProbeSnapshot>* probes_before = nullptr;
  bool list_unknown = true;  // also say what could not be told: for people, not for each scrape
};

struct DeviceView;

struct PortView {
  const DeviceView* device = nullptr;
  const PortSnapshot* now = nullptr;
  const PortSnapshot* before = nullptr;

  [[nodiscard]] Subject subject() const;
};

// One device at both moments. `before` is null when it was absent, stuck, or is not the same device
// any more: a rate would then mean nothing.
struct DeviceView {
  const DeviceSnapshot* now = nullptr;
  const DeviceSnapshot* before = nullptr;
  double seconds = 0;  // between the two reads of this device; 0 without `before`
  std::vector<PortView> ports = {};

  [[nodiscard]] Subject subject() const { return {.device = now->name, .port = 0, .netdev = ""}; }
};

// The evidence as the rules look at it: each device that was read, beside itself at the look
// before.
class Comparison {
 public:
  // `evidence` must outlive it.
  explicit Comparison(const Evidence& evidence);
  Comparison(const Comparison&) = delete;  // the ports know their devices by address
  Comparison& operator=(const Comparison&) = delete;

  const Evidence& evidence;
  [[nodiscard]] const std::vector<DeviceView>& devices() const { return devices_; }

 private:
  std::vector<DeviceView> devices_;
};

// The port's netdev; of a bond its members, which have the settings. A virtual function has none of
// its own.
[[nodiscard]] std::vector<const NetdevSnapshot*> netdevs_of(const PortView& port);

// An IP address that is not link-local; false too where addresses were not read.
[[nodiscard]] bool has_usable_address(const NetdevSnapshot& netdev);
// A RoCE v2 GID that is not link-local.
[[nodiscard]] bool has_routable_gid(const PortSnapshot& port);

// Numbers as people read them: "12", "3.5", "1200000".
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string rate_text(double bits_per_second);  // "100 Gb/s"

}  // namespace rdmadiag::core
