// What a measurement comes to, by perftest's definitions. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/core/clock.h"

namespace rdmadiag::probes {

// In seconds. Of a message one way: half a round trip for send and write, all of it for read.
struct LatencyFigures {
  std::uint64_t count = 0;
  double least = 0;
  double typical = 0;  // perftest's t_typical, which is its median
  double average = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double most = 0;

  friend bool operator==(const LatencyFigures&, const LatencyFigures&) = default;
};

// `round_trips` in any order, not empty; `share` of each counts: 0.5 or 1. As in perftest a
// percentile is the sample at that place of the sorted list, and the two longest samples, which
// belong to the end of the run, are left out where there are more than ten.
[[nodiscard]] LatencyFigures latency_figures(std::vector<std::chrono::nanoseconds> round_trips,
                                             double share);

// A group of messages that completed together.
struct BenchBatch {
  core::SteadyTime posted{};  // the first of them
  core::SteadyTime completed{};
  std::uint64_t messages = 0;
};

struct BandwidthFigures {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double average = 0;  // bytes a second
  double peak = 0;     // bytes a second
  double rate = 0;     // messages a second

  friend bool operator==(const BandwidthFigures&, const BandwidthFigures&) = default;
};

// `batches` in the order of their completion, not empty. The average is over the time from the
// first post to the last completion; the peak is the best of all stretches from one batch's post to
// the completion of the same or a later batch.
[[nodiscard]] BandwidthFigures bandwidth_figures(std::vector<BenchBatch> batches,
                                                 std::uint32_t size);

// Joins neighbours until there are at most `most`.
void thin_out(std::vector<BenchBatch>& batches, std::size_t most);

}  // namespace rdmadiag::probes
