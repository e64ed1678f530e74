// What `bench` was asked for, and what came of it. Plain data: printed, stored and compared by the
// files beside this one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "probes/bench/client.h"
#include "probes/bench/plan.h"

namespace rdmadiag::cli {

struct BenchWishes {
  std::string peer = {};                  // "host[:port][/device]"
  std::string device = {};                // ours; empty: the first that fits
  std::vector<std::uint32_t> sizes = {};  // empty: 2 bytes to 1 MiB, of UD to the path MTU
  bool latency = true;
  bool bandwidth = true;
  probes::BenchPlan plan = {};
  probes::BenchLimit limit{std::chrono::milliseconds(500), 0};
  probes::BenchPlacement placement = {};
};

struct BenchRow {
  std::uint32_t size = 0;
  std::optional<probes::LatencyFigures> latency = {};
  std::optional<probes::BandwidthFigures> bandwidth = {};  // of both directions together
  std::optional<probes::BandwidthFigures> peer_bandwidth =
      {};                                     // the peer's part, when both ends send
  std::optional<double> received_ratio = {};  // of send: what arrived of what was sent
};

struct RegistrationRow {
  std::uint32_t size = 0;
  probes::LatencyFigures registering = {};
  probes::LatencyFigures releasing = {};
};

struct BenchRun {
  std::string peer = {};  // as it was named
  std::string peer_device = {};
  std::string peer_placement = {};
  std::string device = {};
  std::uint32_t port = 1;
  std::string protocol = {};
  std::string placement = {};
  int mtu_bytes = 0;
  std::uint32_t inline_bytes = 0;        // granted
  std::optional<double> line_rate = {};  // bits a second of our port
  probes::BenchPlan plan = {};
  std::vector<BenchRow> rows = {};
  std::vector<RegistrationRow> registration =
      {};                    // of `--metric registration`, which needs no peer
  std::string problem = {};  // why it ended before its time; empty when it did not
};

// Where more size brings little more: the smallest one with nine tenths of the best average
// bandwidth. Empty without bandwidth of at least three sizes.
[[nodiscard]] std::optional<std::uint32_t> bench_knee(const BenchRun& run);

}  // namespace rdmadiag::cli
