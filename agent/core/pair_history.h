// One pair of NICs over time, window by window: what it takes to get there and back, apart from
// what the hosts at both ends add. Plain data, for those who look at a single pair.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace rdmadiag::core {

struct PairWindow {
  std::int64_t start = 0;  // Unix seconds, a multiple of kProbeWindow
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  // Seconds; empty when nothing came back.
  std::optional<double> network_p50;
  std::optional<double> network_most;
  std::optional<double> prober_mean;     // spent in this host
  std::optional<double> responder_mean;  // and in the peer's
};

// Oldest first; windows without a probe are left out.
using PairHistory = std::vector<PairWindow>;
inline constexpr std::size_t kPairWindows = 20;

}  // namespace rdmadiag::core
