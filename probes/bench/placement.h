// Which CPUs a benchmark's thread runs on: those beside the NIC, so that polling and memory do not
// cross the sockets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "probes/verbs/device.h"

namespace rdmadiag::probes {

struct BenchPlacement {
  enum class Kind { kNearDevice, kOne, kAnywhere };
  Kind kind = Kind::kNearDevice;
  unsigned cpu = 0;  // of kOne

  friend bool operator==(const BenchPlacement&, const BenchPlacement&) = default;
};

// "auto", "none" or the number of a CPU.
[[nodiscard]] std::optional<BenchPlacement> parse_placement(const std::string& text);

// "0-3,8": the kernel's list of CPUs; empty when it is none.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(const std::string& text);

// Pins the calling thread, and says where it runs now: "CPUs 0-15 (NUMA node 0, the NIC's)". An
// error only where a CPU was named that this process may not use; a NIC whose node is not known is
// none: then the thread stays where it is.
[[nodiscard]] core::Result<std::string> place_thread(const BenchPlacement& placement,
                                                     const Device& device);

}  // namespace rdmadiag::probes
