// The probes of one `ping`, numbered by when they were due, and what they add up to. Pure.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/cli/spread.h"
#include "agent/core/clock.h"
#include "agent/core/probe.h"
#include "probes/pending.h"

namespace rdmadiag::cli {

struct NumberedProbe {
  std::uint64_t number = 0;
  probes::DecidedProbe probe;
};

class PingStatistics {
 public:
  // Of `most` probes, 0: without an end.
  PingStatistics(std::chrono::nanoseconds interval, std::uint64_t most)
      : interval_(interval), most_(most) {}

  // All of them with their numbers, in the order of the argument.
  std::vector<NumberedProbe> add(const std::vector<probes::DecidedProbe>& decided);
  // Every one of `most` was decided.
  [[nodiscard]] bool complete() const { return most_ > 0 && decided_ >= most_; }

  [[nodiscard]] std::uint64_t count(core::ProbeOutcome outcome) const {
    return outcomes_[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::uint64_t sent() const;  // and left this NIC
  [[nodiscard]] std::uint64_t lost() const;
  [[nodiscard]] std::uint64_t discarded() const;  // they say nothing about the network
  // In seconds; empty without a sample.
  [[nodiscard]] std::optional<Spread> network() const { return spread_of(network_); }
  [[nodiscard]] std::optional<Spread> prober() const { return spread_of(prober_); }
  [[nodiscard]] std::optional<Spread> responder() const { return spread_of(responder_); }
  [[nodiscard]] std::optional<core::ProbeTimestamps> timestamps() const { return timestamps_; }

 private:
  std::chrono::nanoseconds interval_;
  std::uint64_t most_;
  std::optional<core::SteadyTime> first_;
  std::uint64_t decided_ = 0;
  std::array<std::uint64_t, core::kProbeOutcomeCount> outcomes_{};
  std::vector<double> network_;
  std::vector<double> prober_;
  std::vector<double> responder_;
  std::optional<core::ProbeTimestamps> timestamps_;
};

}  // namespace rdmadiag::cli
