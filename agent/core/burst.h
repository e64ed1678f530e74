// What happens between two scrapes, from samples taken many times a second: how high traffic
// peaked, how long it stood near the line rate, how long the longest pause was. Pure.
//
// Peaks are of the last window, not of the last scrape, so that any number of scrapers sees the
// same; a window at least as long as the scrape interval misses nothing. Times are totals since the
// start.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/clock.h"

namespace rdmadiag::core {

enum class BurstCounter : std::uint8_t {
  kRxBytes,
  kTxBytes,
  kRxPause,  // we were paused, or had no credits: the victim
  kTxPause,  // we paused the other end
  kDiscards,
  kEcnMarks,
};
inline constexpr std::size_t kBurstCounters = 6;
template <class T>
using PerBurstCounter = std::array<T, kBurstCounters>;
[[nodiscard]] std::string_view burst_counter_name(BurstCounter counter);  // "rx_bytes"

// Raw counts at one moment; empty: not there, or not read this time.
struct BurstSample {
  SteadyTime at{};
  PerBurstCounter<std::optional<std::uint64_t>> values{};
};

// Of one port. Empty: this port has no such counter.
struct BurstStatus {
  std::uint32_t port = 0;
  // Highest rate between two samples in the window, a second.
  PerBurstCounter<std::optional<double>> peak_per_second{};
  // Since start, with traffic above kNearLine of the line rate; only where that is known.
  PerBurstCounter<std::optional<double>> near_line_seconds{};
  // Since start, between samples in which pauses were counted.
  PerBurstCounter<std::optional<double>> paused_seconds{};
  // The longest run of these that ended in the window or still lasts.
  PerBurstCounter<std::optional<double>> longest_pause_seconds{};

  static constexpr double kNearLine = 0.9;
};

// Of one device, and what sampling it costs.
struct BurstDevice {
  std::string device;
  double window_seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;  // looks that were due and not made: the device was slow, or CPU short
  double cpu_seconds = 0;
  std::vector<BurstStatus> ports;
};

class BurstWindow {
 public:
  explicit BurstWindow(std::chrono::nanoseconds window) : window_(window) {}

  // `line_rate` in bytes per second each way; empty: unknown. Samples come in the order of time.
  void add(const BurstSample& sample, std::optional<double> line_rate);
  // Fills in what the samples say, as of `now`.
  void report(SteadyTime now, BurstStatus& status) const;

  // Two samples further apart say nothing of what was between them: a mean is no peak.
  static constexpr std::chrono::nanoseconds kLongestStep = std::chrono::milliseconds(500);

 private:
  // The highest value of the last window: those that a later, higher one has not outdone.
  class Highest {
   public:
    void add(SteadyTime at, double value);
    [[nodiscard]] std::optional<double> since(SteadyTime from) const;
    void forget_before(SteadyTime from);

   private:
    struct Entry {
      SteadyTime at;
      double value;
    };
    std::deque<Entry> entries_;
  };
  struct Track {
    std::optional<std::uint64_t> value;  // the last one read
    SteadyTime at{};                     // and when
    Highest rates;
    double near_line_seconds = 0;
    bool has_line_rate = false;
    double paused_seconds = 0;
    double pause_run_seconds = 0;  // of the run that lasts
    Highest pauses;
    bool seen = false;  // a rate is known
  };
  static bool is_traffic(std::size_t counter);
  static bool is_pause(std::size_t counter);
  void step(std::size_t counter, Track& track, std::uint64_t value, SteadyTime at,
            std::optional<double> line_rate);

  std::chrono::nanoseconds window_;
  PerBurstCounter<Track> tracks_{};
};

// Keeps a repeated cost below a share of the time: after work that took `cost`, the next may begin
// when the share has paid for it.
class CpuBudget {
 public:
  explicit CpuBudget(double share) : share_(share) {}

  [[nodiscard]] bool allows(SteadyTime now) const { return now >= next_; }
  void spend(SteadyTime now, std::chrono::nanoseconds cost);

 private:
  double share_;  // of one CPU
  SteadyTime next_ = SteadyTime::min();
};

}  // namespace rdmadiag::core
