#include "agent/cli/ping_statistics.h"

#include <algorithm>

namespace rdmadiag::cli {
namespace {

using core::ProbeOutcome;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::vector<NumberedProbe> PingStatistics::add(const std::vector<probes::DecidedProbe>& decided) {
  std::vector<NumberedProbe> counted;
  for (const probes::DecidedProbe& probe : decided) {
    // The first to be decided may not be the first that was sent: it was then lost, and its number
    // comes out as 0 too; numbers are for people.
    if (!first_) first_ = probe.probe.posted;
    const auto since = std::max(core::SteadyTime::duration{}, probe.probe.posted - *first_);
    const auto number = static_cast<std::uint64_t>((since + interval_ / 2) / interval_);
    ++decided_;
    ++outcomes_[static_cast<std::size_t>(probe.outcome)];
    if (probe.sample) {
      network_.push_back(seconds(probe.sample->network_rtt));
      prober_.push_back(seconds(probe.sample->prober_delay));
      responder_.push_back(seconds(probe.sample->responder_delay));
      timestamps_ = probe.sample->timestamps;
    }
    counted.push_back({number, probe});
  }
  return counted;
}

std::uint64_t PingStatistics::lost() const {
  return count(ProbeOutcome::kLostForward) + count(ProbeOutcome::kLostReverse) +
         count(ProbeOutcome::kLostUnknown);
}

std::uint64_t PingStatistics::discarded() const {
  return count(ProbeOutcome::kSelfStall) + count(ProbeOutcome::kPeerStall) +
         count(ProbeOutcome::kStale);
}

std::uint64_t PingStatistics::sent() const {
  return decided_ - count(ProbeOutcome::kNotSent) - count(ProbeOutcome::kLocalTx);
}

}  // namespace rdmadiag::cli
