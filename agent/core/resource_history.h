// Whether the objects of a device (queue pairs, memory regions, …) become more and more: a leak
// shows long before a limit is near.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "agent/core/snapshot.h"

namespace rdmadiag::core {

struct ResourceGrowth {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  double seconds = 0;
  int looks = 0;

  bool operator==(const ResourceGrowth&) const = default;
};

// By device and object ("qp").
using ResourceGrowths = std::map<std::pair<std::string, std::string>, ResourceGrowth>;

// Not thread-safe; owned by whoever looks at the snapshots.
class ResourceHistory {
 public:
  // Keeps a count a minute, however often it is called. Objects that are gone are forgotten, and a
  // name that now stands for other hardware begins anew.
  void observe(const HostSnapshot& host);

  // What has risen at each of the last kLooks looks, by a tenth and by kLeast at least: jobs that
  // start fill up within minutes and then stand still.
  [[nodiscard]] const ResourceGrowths& growths() const { return growths_; }

  static constexpr int kLooks = 10;
  static constexpr std::uint64_t kLeast = 20;
  static constexpr std::chrono::nanoseconds kApart = std::chrono::seconds(60);

 private:
  struct Look {
    SteadyTime at{};
    std::uint64_t count = 0;
  };
  struct Device {
    std::string guid;
    SteadyTime last{};
    std::map<std::string, std::deque<Look>> objects;
  };
  void note(const DeviceSnapshot& snapshot, Device& device);

  std::map<std::string, Device> devices_;
  ResourceGrowths growths_;
};

}  // namespace rdmadiag::core
