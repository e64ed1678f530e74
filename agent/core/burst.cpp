#include "agent/core/burst.h"

#include <algorithm>

namespace rdmadiag::core {
namespace {

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string_view burst_counter_name(BurstCounter counter) {
  constexpr PerBurstCounter<std::string_view> kNames = {"rx_bytes", "tx_bytes", "rx_pause",
                                                        "tx_pause", "discards", "ecn_marks"};
  return kNames.at(static_cast<std::size_t>(counter));
}

void BurstWindow::Highest::add(SteadyTime at, double value) {
  while (!entries_.empty() && entries_.back().value <= value) entries_.pop_back();
  entries_.push_back({at, value});
}

std::optional<double> BurstWindow::Highest::since(SteadyTime from) const {
  for (const Entry& entry : entries_)
    if (entry.at >= from) return entry.value;
  return std::nullopt;
}

void BurstWindow::Highest::forget_before(SteadyTime from) {
  while (!entries_.empty() && entries_.front().at < from) entries_.pop_front();
}

bool BurstWindow::is_traffic(std::size_t counter) {
  return counter == static_cast<std::size_t>(BurstCounter::kRxBytes) ||
         counter == static_cast<std::size_t>(BurstCounter::kTxBytes);
}

bool BurstWindow::is_pause(std::size_t counter) {
  return counter == static_cast<std::size_t>(BurstCounter::kRxPause) ||
         counter == static_cast<std::size_t>(BurstCounter::kTxPause);
}

void BurstWindow::add(const BurstSample& sample, std::optional<double> line_rate) {
  for (std::size_t i = 0; i < kBurstCounters; ++i) {
    if (!sample.values[i]) continue;
    Track& track = tracks_[i];
    step(i, track, *sample.values[i], sample.at, line_rate);
    track.value = sample.values[i];
    track.at = sample.at;
  }
}

void BurstWindow::step(std::size_t counter, Track& track, std::uint64_t value, SteadyTime at,
                       std::optional<double> line_rate) {
  const auto since = at - track.at;
  // A count that went back was reset, or belongs to another device by now.
  const bool tells =
      track.value && value >= *track.value && since.count() > 0 && since <= kLongestStep;
  if (!tells) {
    track.pause_run_seconds = 0;
    return;
  }
  track.seen = true;
  const double took = seconds(since);
  const auto moved = static_cast<double>(value - *track.value);
  track.rates.add(at, moved / took);
  track.rates.forget_before(at - window_);
  if (is_traffic(counter) && line_rate && *line_rate > 0) {
    track.has_line_rate = true;
    if (moved / took > BurstStatus::kNearLine * *line_rate) track.near_line_seconds += took;
  }
  if (!is_pause(counter)) return;
  track.pause_run_seconds = moved > 0 ? track.pause_run_seconds + took : 0;
  if (moved <= 0) return;
  track.paused_seconds += took;
  track.pauses.add(at, track.pause_run_seconds);
  track.pauses.forget_before(at - window_);
}

void BurstWindow::report(SteadyTime now, BurstStatus& status) const {
  const SteadyTime from = now - window_;
  for (std::size_t i = 0; i < kBurstCounters; ++i) {
    const Track& track = tracks_[i];
    if (!track.seen) continue;
    // Absent where nothing was sampled in the window: a peak that is not known is not 0.
    status.peak_per_second[i] = track.rates.since(from);
    if (is_traffic(i) && track.has_line_rate) status.near_line_seconds[i] = track.near_line_seconds;
    if (!is_pause(i)) continue;
    status.paused_seconds[i] = track.paused_seconds;
    if (status.peak_per_second[i])
      status.longest_pause_seconds[i] = track.pauses.since(from).value_or(0);
  }
}

void CpuBudget::spend(SteadyTime now, std::chrono::nanoseconds cost) {
  next_ = now +
          std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::duration<double, std::nano>(static_cast<double>(cost.count()) / share_));
}

}  // namespace rdmadiag::core
