// Which routers a flow label passes on its way to a peer: packets with the 5-tuple of RoCE v2 and a
// time to live that ends one hop short of the peer. Logic alone; the packets are a TraceNetwork's.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"

namespace rdmadiag::probes {

struct HopAnswer {
  std::string from;      // address of who answered
  bool is_peer = false;  // the peer itself, not a router before it
  std::chrono::nanoseconds rtt{0};
};

class TraceNetwork {
 public:
  virtual ~TraceNetwork() = default;
  // Sends one packet to the peer and waits for what becomes of it. Nothing when nobody answers in
  // time; an error when the packet could not be sent.
  [[nodiscard]] virtual core::Result<std::optional<HopAnswer>> probe(std::uint16_t source_port,
                                                                     std::uint16_t destination_port,
                                                                     int ttl) = 0;
};

struct TracedHop {
  std::optional<HopAnswer> answer;  // empty: this router does not answer
};

struct TracedPath {
  std::uint32_t label = 0;
  std::uint16_t source_port = 0;
  std::vector<TracedHop> hops;  // the first router first
  std::string problem;          // why it ends early; empty when it does not

  [[nodiscard]] bool is_complete() const;
};

class PathTrace {
 public:
  // `wait` waits that long and gives false when the user has enough.
  PathTrace(TraceNetwork& network, const core::Clock& clock,
            std::function<bool(std::chrono::nanoseconds)> wait)
      : network_(network), clock_(clock), wait_(std::move(wait)) {}

  // How many hops away the peer is, by datagrams to ports that nobody listens on: none of them is
  // RoCE's. Fails when the peer does not answer those.
  [[nodiscard]] core::Result<int> distance(int tries);
  // One label. `hops` is the distance; packets go `hops` − 1 far at most, and to each hop one a
  // second at most over all labels. Empty when the user has enough.
  [[nodiscard]] std::optional<TracedPath> trace(std::uint32_t label, int hops, int tries);

  static constexpr int kMostHops = 16;
  static constexpr std::chrono::nanoseconds kBetween = std::chrono::seconds(1);

 private:
  // False when the user has enough.
  bool pace(int ttl);

  TraceNetwork& network_;
  const core::Clock& clock_;
  std::function<bool(std::chrono::nanoseconds)> wait_;
  std::map<int, core::SteadyTime> sent_;  // last packet to each hop
};

// Labels that took the same routers, in the order of their first; those with a gap are in none.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> shared_paths(
    const std::vector<TracedPath>& paths);

}  // namespace rdmadiag::probes
