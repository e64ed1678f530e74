// How counters came to where they stand: a few dozen points between the agent's start and now, ever
// further apart as it runs longer. Values only, eight bytes each. Not thread-safe by itself; a
// point is immutable once taken.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

// All counters of a device at one read: of the device scope, then port by port, in the snapshot's
// order.
struct TrailDevice {
  std::string name;
  SteadyTime read_at{};
  std::uint64_t layout = 0;  // which counters these are
  std::vector<std::uint64_t> values;
};

struct TrailPoint {
  SteadyTime at{};
  std::vector<TrailDevice> devices;  // by name
};

// Oldest first.
using Trails = std::vector<std::shared_ptr<const TrailPoint>>;

class TrailRecorder {
 public:
  static constexpr std::size_t kMostPoints = 32;
  static constexpr std::chrono::nanoseconds kFirstPeriod = std::chrono::seconds(5);

  // Takes a point when the last one is old enough. When they become too many, every second one is
  // dropped and the period doubled.
  void observe(const HostSnapshot& host);
  [[nodiscard]] const Trails& points() const { return points_; }

 private:
  Trails points_;
  std::chrono::nanoseconds period_ = kFirstPeriod;
};

// The stretch between two reads of one counter.
struct TrailStep {
  std::chrono::nanoseconds from{0};  // since the first read
  std::chrono::nanoseconds to{0};
  std::optional<double> per_second;  // raw, as the kernel counts; empty where the counter fell
};

// Of each counter of `now`, in TrailDevice's order, the steps to it from the points that had the
// same counters; none without such a point.
[[nodiscard]] std::vector<std::vector<TrailStep>> trail_steps(const Trails& trails,
                                                              const DeviceSnapshot& now);

}  // namespace rdmadiag::core
