// What one run of the benchmark does, as both ends agree on it before it begins, and whether that
// is possible. Pure. The method and the defaults are perftest's, so that figures can be compared.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/enums.h"
#include "agent/core/result.h"
#include "probes/rc_exchange.h"

namespace rdmadiag::probes {

enum class BenchTransport : std::uint8_t { kRc, kUc, kUd };
enum class BenchMetric : std::uint8_t { kLatency, kBandwidth };

inline constexpr std::array<const char*, 3> kBenchOperationNames = {"send", "write", "read"};
inline constexpr std::array<const char*, 3> kBenchTransportNames = {"rc", "uc", "ud"};
inline constexpr std::array<const char*, 2> kBenchMetricNames = {"latency", "bandwidth"};

inline constexpr std::uint32_t kMaxBenchSize = 64U << 20;
inline constexpr std::uint32_t kMaxBenchPairs = 64;
inline constexpr std::uint32_t kMaxBenchDepth = 8192;
inline constexpr std::uint64_t kMaxBenchMemory = std::uint64_t{512} << 20;  // of one end

struct BenchPlan {
  RcOperation operation = RcOperation::kWrite;
  BenchTransport transport = BenchTransport::kRc;
  std::uint32_t largest = 0;                       // bytes of the largest message
  std::uint32_t pairs = 1;                         // queue pairs; latency uses the first
  std::uint32_t depth = 128;                       // sends on their way, for each queue pair
  std::uint32_t moderation = 100;                  // bandwidth: every n-th send is signalled
  std::uint32_t mtu = 0;                           // bytes; 0: the smaller of both ports'
  std::optional<std::uint32_t> inline_bytes = {};  // none: perftest's, and only for latency
  bool bidirectional = false;                      // bandwidth: both ends send
  bool events = false;                             // sleep on completion events instead of polling

  friend bool operator==(const BenchPlan&, const BenchPlan&) = default;
};

// How long one measurement goes on: until the first that is reached.
struct BenchLimit {
  std::chrono::nanoseconds duration{};  // 0: no limit
  std::uint64_t iterations = 0;         // 0: no limit

  friend bool operator==(const BenchLimit&, const BenchLimit&) = default;
};

// Sizes in bytes: "64", "2..1M" (each twice the one before), "64,4K,1M", or a mixture. K and M are
// powers of 1024. Sorted, none twice; the error says what is wrong with which part.
[[nodiscard]] core::Result<std::vector<std::uint32_t>> parse_bench_sizes(std::string_view text);

// "2", "4K", "1M": short where it is exact.
[[nodiscard]] std::string bench_size_name(std::uint32_t bytes);

// Whether the plan fits the protocol and the path MTU of the port (bytes; 0: not known yet), in one
// clear sentence if not. Also what a peer asks for is held against it.
[[nodiscard]] core::Status check_bench_plan(const BenchPlan& plan, core::Protocol protocol,
                                            int mtu_bytes);

// Of what the plan and the port's path MTU leave.
[[nodiscard]] int bench_mtu(const BenchPlan& plan, int port_mtu_bytes);
// Inline data that is asked of each queue pair.
[[nodiscard]] std::uint32_t wanted_inline(const BenchPlan& plan);
// Receives that stand ready for each queue pair; 0 for one-sided operations.
[[nodiscard]] std::uint32_t bench_receives(const BenchPlan& plan);
// Bytes of the area that is sent from, and of the one that is received into, for each queue pair.
[[nodiscard]] std::size_t bench_span(const BenchPlan& plan);

}  // namespace rdmadiag::probes
