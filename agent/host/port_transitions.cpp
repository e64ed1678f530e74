#include "agent/host/port_transitions.h"

#include <algorithm>

namespace rdmadiag::host {
namespace {

// How far a count moved; nothing when it went back, as for a look that is older than the last.
std::uint32_t moved(std::uint32_t before, std::uint32_t now) {
  return now > before ? now - before : 0;
}

std::uint32_t take_from(std::uint32_t& owed, std::uint32_t count) {
  const std::uint32_t paid = std::min(owed, count);
  owed -= paid;
  return count - paid;
}

}  // namespace

void PortTransitions::see_link(const LinkState& link, core::SystemTime now) {
  const std::lock_guard lock(mutex_);
  ++notifications_;
  auto [found, is_new] = links_.try_emplace(link.index);
  found->second.notified = notifications_;
  if (is_new) {
    found->second.name = link.name;
    found->second.up = link.up;
    found->second.has_counts = link.carrier_up_count && link.carrier_down_count;
    found->second.up_count = link.carrier_up_count.value_or(0);
    found->second.down_count = link.carrier_down_count.value_or(0);
    counted_.try_emplace(link.name);
    return;
  }
  update(found->second, link, now);
}

void PortTransitions::see_dumped_link(const LinkState& link, std::uint64_t since,
                                      core::SystemTime now) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = links_.find(link.index);
    if (found != links_.end() && found->second.notified > since) return;
  }
  see_link(link, now);
}

void PortTransitions::forget_link(int index) {
  const std::lock_guard lock(mutex_);
  ++notifications_;
  links_.erase(index);
}

std::uint64_t PortTransitions::notifications() const {
  const std::lock_guard lock(mutex_);
  return notifications_;
}

void PortTransitions::update(Link& link, const LinkState& seen, core::SystemTime now) {
  if (link.name != seen.name) {
    counted_[seen.name] = counted_[link.name];
    counted_.erase(link.name);
    link.name = seen.name;
  }
  bool counts_moved = false;
  if (seen.carrier_up_count && seen.carrier_down_count) {
    // It waited in the socket while sysfs was read: what it says of the flag is as old.
    if (*seen.carrier_up_count < link.up_count || *seen.carrier_down_count < link.down_count)
      return;
    counts_moved = take_counts(link, *seen.carrier_up_count, *seen.carrier_down_count, now);
  }
  const bool changed = link.up != seen.up;
  link.up = seen.up;
  if (!changed || counts_moved) return;
  // The administrator's flag alone; drivers show the carrier's part before, after, or never.
  if (seen.up) {
    count(link.name, 1, 0, now);
    link.owed_down = 0;
    link.owed_up = link.has_counts ? 1 : 0;
  } else {
    count(link.name, 0, 1, now);
    link.owed_up = 0;
    link.owed_down = link.has_counts ? 1 : 0;
  }
}

bool PortTransitions::take_counts(Link& link, std::uint32_t up, std::uint32_t down,
                                  core::SystemTime now) {
  const std::uint32_t moved_up = moved(link.up_count, up);
  const std::uint32_t moved_down = moved(link.down_count, down);
  const std::uint32_t went_up = take_from(link.owed_up, moved_up);
  const std::uint32_t went_down = take_from(link.owed_down, moved_down);
  link.up_count = std::max(link.up_count, up);
  link.down_count = std::max(link.down_count, down);
  link.has_counts = true;
  if (went_down > 0) link.owed_up = 0;
  if (went_up > 0) link.owed_down = 0;
  if (moved_up != moved_down) link.up = moved_up > moved_down;
  count(link.name, went_up, went_down, now);
  return moved_up != 0 || moved_down != 0;
}

void PortTransitions::see_carrier_counts(std::string_view netdev, std::uint32_t up,
                                         std::uint32_t down, core::SystemTime now) {
  const std::lock_guard lock(mutex_);
  for (auto& [index, link] : links_) {
    if (link.name != netdev) continue;
    (void)take_counts(link, up, down, now);
    return;
  }
}

void PortTransitions::count(const std::string& netdev, std::uint32_t up, std::uint32_t down,
                            core::SystemTime now) {
  if (up == 0 && down == 0) return;
  Transitions& counted = counted_[netdev];
  counted.up += up;
  counted.down += down;
  counted.last_change = now;
}

void PortTransitions::see_polled_state(const std::string& device, std::uint32_t port, bool up,
                                       std::uint64_t events_before, core::SystemTime now) {
  const std::lock_guard lock(mutex_);
  if (events_ == events_before) set_state(device, port, up, now);
}

void PortTransitions::see_state_event(const std::string& device, std::uint32_t port, bool up,
                                      core::SystemTime now) {
  const std::lock_guard lock(mutex_);
  ++events_;
  set_state(device, port, up, now);
}

std::uint64_t PortTransitions::events() const {
  const std::lock_guard lock(mutex_);
  return events_;
}

void PortTransitions::set_state(const std::string& device, std::uint32_t port, bool up,
                                core::SystemTime now) {
  auto [found, is_new] = states_.try_emplace({device, port});
  PortState& state = found->second;
  if (!is_new && state.up != up) {
    ++(up ? state.counted.up : state.counted.down);
    state.counted.last_change = now;
  }
  state.up = up;
}

void PortTransitions::forget_device(std::string_view device) {
  const std::lock_guard lock(mutex_);
  ++events_;  // a look that is under way must not bring it back
  std::erase_if(states_, [&](const auto& entry) { return entry.first.first == device; });
}

std::optional<Transitions> PortTransitions::of(const WatchedPort& port) const {
  const std::lock_guard lock(mutex_);
  if (!port.netdev.empty()) {
    const auto found = counted_.find(port.netdev);
    if (found == counted_.end()) return std::nullopt;
    return found->second;
  }
  const auto found = states_.find({port.device, port.port});
  if (found == states_.end()) return std::nullopt;
  return found->second.counted;
}

}  // namespace rdmadiag::host
