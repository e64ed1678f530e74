// Runs a sweep against a peer: an agent whose configuration allows it, or `bench --server`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/cli/bench_run.h"
#include "agent/cli/world.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::cli {

// Where `bench --server` waits unless told otherwise, and where a peer without a port is looked for
// after the agent's own.
inline constexpr std::uint16_t kBenchPort = 10916;

// A port of this host that can be used.
struct OwnBenchPort {
  std::string nic = {};  // "host/device"
  std::string device = {};
  std::uint32_t port = 1;
  core::Protocol protocol = core::Protocol::kUnknown;
  int mtu_bytes = 0;  // 0: not known before it is opened
  std::optional<double> line_rate = {};
};

// The active ones; an error says why there is none.
[[nodiscard]] core::Result<std::vector<OwnBenchPort>> own_bench_ports(const Context& context,
                                                                      const std::string& device);

// An error when nothing could be measured; a run that ended early says so in `problem`.
[[nodiscard]] core::Result<BenchRun> run_sweep(const Context& context, const BenchWishes& wishes);

}  // namespace rdmadiag::cli
