// What the two ends of a benchmark say to each other over the control channel (POST /api/v1/bench).
// The one that measures opens a run, names one measurement after the other, and closes it. Read
// field by field with bounds, since what comes from a peer is hostile until it was checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/enums.h"
#include "agent/core/result.h"
#include "probes/bench/figures.h"
#include "probes/bench/plan.h"
#include "probes/rc_exchange.h"

namespace rdmadiag::probes {

// Opens a run: the plan and this end of each queue pair. On UD only the GID, LID and number of them
// mean anything.
struct BenchOffer {
  std::string from = {};    // "host/device"
  std::string device = {};  // the peer's; empty: the first active one of the same protocol
  core::Protocol protocol = core::Protocol::kUnknown;
  BenchPlan plan = {};
  std::uint32_t qkey = 0;   // UD
  std::uint32_t reads = 1;  // that may be on their way at a time, in either direction
  std::vector<RcParameters> ends = {};

  friend bool operator==(const BenchOffer&, const BenchOffer&) = default;
};

struct BenchAnswer {
  std::string run = {};  // names the run from now on, and nobody else knows it
  std::string device = {};
  std::string placement = {};      // where the peer's thread runs
  std::uint32_t most_seconds = 0;  // then the peer ends the run
  std::uint32_t qkey = 0;
  std::uint32_t reads = 1;  // at most what was offered
  std::vector<RcParameters> ends = {};

  friend bool operator==(const BenchAnswer&, const BenchAnswer&) = default;
};

enum class BenchAction : std::uint8_t { kBegin, kAlive, kEnd, kClose };

// Of a run that is open. What is measured matters for kBegin only.
struct BenchCommand {
  std::string run = {};
  BenchAction action = BenchAction::kAlive;
  BenchMetric metric = BenchMetric::kLatency;
  std::uint32_t size = 0;
  BenchLimit limit = {};

  friend bool operator==(const BenchCommand&, const BenchCommand&) = default;
};

// The answer to each: what has gone wrong at the peer, and after kEnd what it saw.
struct BenchReport {
  std::string problem = {};
  std::uint64_t received = 0;  // messages of the measurement that arrived, where that is seen
  BandwidthFigures sent = {};  // of the peer's own messages, when both ends send

  friend bool operator==(const BenchReport&, const BenchReport&) = default;
};

[[nodiscard]] std::string encode_bench(const BenchOffer& offer);
[[nodiscard]] std::string encode_bench(const BenchAnswer& answer);
[[nodiscard]] std::string encode_bench(const BenchCommand& command);
[[nodiscard]] std::string encode_bench(const BenchReport& report);
[[nodiscard]] core::Result<BenchOffer> decode_bench_offer(std::string_view json);
[[nodiscard]] core::Result<BenchAnswer> decode_bench_answer(std::string_view json);
[[nodiscard]] core::Result<BenchCommand> decode_bench_command(std::string_view json);
[[nodiscard]] core::Result<BenchReport> decode_bench_report(std::string_view json);

}  // namespace rdmadiag::probes
