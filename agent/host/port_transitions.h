// Counts how often ports went up and down since start. The kernel's own counts of a netdev's
// carrier decide where there are any, so that a flap between two looks is counted once each way; a
// port without a netdev is counted by the states that are seen. Any thread may call.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/clock.h"
#include "agent/host/link_messages.h"

namespace rdmadiag::host {

struct WatchedPort {
  std::string device;
  std::uint32_t port = 0;
  std::string netdev;  // empty: the port's own state is watched
  bool operator==(const WatchedPort&) const = default;
};

struct Transitions {
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  std::optional<core::SystemTime> last_change;
};

class PortTransitions {
 public:
  // A link as rtnetlink tells it. The first sight of a netdev counts nothing.
  void see_link(const LinkState& link, core::SystemTime now);
  // The same of a dump, which may be older than notifications that came while it was made:
  // `since` is what notifications() was before it.
  void see_dumped_link(const LinkState& link, std::uint64_t since, core::SystemTime now);
  void forget_link(int index);
  [[nodiscard]] std::uint64_t notifications() const;

  // The carrier counts of a netdev as sysfs tells them.
  void see_carrier_counts(std::string_view netdev, std::uint32_t up, std::uint32_t down,
                          core::SystemTime now);

  // A port's state: polled, with what events() was before the file was read, ...
  void see_polled_state(const std::string& device, std::uint32_t port, bool up,
                        std::uint64_t events_before, core::SystemTime now);
  // ... or by an asynchronous event, which is newer than any poll at work.
  void see_state_event(const std::string& device, std::uint32_t port, bool up,
                       core::SystemTime now);
  [[nodiscard]] std::uint64_t events() const;
  void forget_device(std::string_view device);

  // Nothing when neither the netdev nor the port's state has been seen.
  [[nodiscard]] std::optional<Transitions> of(const WatchedPort& port) const;

 private:
  struct Link {
    std::string name;
    bool up = false;
    std::uint32_t up_count = 0;
    std::uint32_t down_count = 0;
    bool has_counts = false;
    // Changes already counted by the administrator's flag that the kernel's counts have yet to
    // show.
    std::uint32_t owed_up = 0;
    std::uint32_t owed_down = 0;
    std::uint64_t notified = 0;  // the last notification about it
  };
  struct PortState {
    bool up = false;
    Transitions counted;
  };

  void update(Link& link, const LinkState& seen, core::SystemTime now);
  // True when they moved.
  bool take_counts(Link& link, std::uint32_t up, std::uint32_t down, core::SystemTime now);
  void count(const std::string& netdev, std::uint32_t up, std::uint32_t down, core::SystemTime now);
  void set_state(const std::string& device, std::uint32_t port, bool up, core::SystemTime now);

  mutable std::mutex mutex_;
  std::map<int, Link> links_;
  // By name and beyond the life of one netdev: a driver that is reloaded makes another of that
  // name.
  std::map<std::string, Transitions, std::less<>> counted_;
  std::map<std::pair<std::string, std::uint32_t>, PortState> states_;
  std::uint64_t notifications_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace rdmadiag::host
