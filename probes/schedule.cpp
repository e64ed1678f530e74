#include "probes/schedule.h"

namespace rdmadiag::probes {

std::chrono::nanoseconds ProbeSchedule::stretched(const Entry& entry) const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(entry.interval / factor_);
}

// The first moment phase + k × interval after `time`.
core::SteadyTime ProbeSchedule::slot_after(const Entry& entry, core::SteadyTime time) const {
  const auto interval = stretched(entry);
  const std::chrono::nanoseconds phase(entry.hash % static_cast<std::uint64_t>(interval.count()));
  const auto into_slot = (time.time_since_epoch() - phase) % interval;
  return time - into_slot + interval;
}

void ProbeSchedule::move(std::uint32_t target, Entry& entry, core::SteadyTime due) {
  auto node = queue_.extract({entry.due, target});
  entry.due = due;
  if (node.empty()) {
    queue_.emplace(due, target);
    return;
  }
  node.value() = {due, target};
  queue_.insert(std::move(node));
}

void ProbeSchedule::set(std::uint32_t target, std::chrono::nanoseconds interval, std::uint64_t hash,
                        core::SteadyTime now) {
  const auto [found, added] = entries_.try_emplace(target);
  Entry& entry = found->second;
  if (!added && entry.interval == interval && entry.hash == hash) return;
  entry.interval = interval;
  entry.hash = hash;
  const std::uint64_t spread = static_cast<std::uint64_t>(stretched(entry).count()) / 10 + 1;
  const core::SteadyTime first = now + std::chrono::nanoseconds(hash % spread);
  move(target, entry, entry.started ? slot_after(entry, now) : first);
}

void ProbeSchedule::remove(std::uint32_t target) {
  const auto found = entries_.find(target);
  if (found == entries_.end()) return;
  queue_.erase({found->second.due, target});
  entries_.erase(found);
}

void ProbeSchedule::set_rate_factor(double factor, core::SteadyTime now) {
  if (factor == factor_) return;
  factor_ = factor;
  for (auto& [target, entry] : entries_) {
    if (entry.started) move(target, entry, slot_after(entry, now));
  }
}

std::optional<std::uint32_t> ProbeSchedule::take_due(core::SteadyTime now) {
  if (queue_.empty() || queue_.begin()->first > now) return std::nullopt;
  const std::uint32_t target = queue_.begin()->second;
  Entry& entry = entries_.find(target)->second;
  const auto interval = stretched(entry);
  // The first probe is off the phase; the next one keeps half an interval away from it.
  const core::SteadyTime from = entry.started ? now : now + interval / 2;
  const core::SteadyTime next = slot_after(entry, from);
  if (entry.started) skipped_ += static_cast<std::uint64_t>((now - entry.due) / interval);
  entry.started = true;
  move(target, entry, next);
  return target;
}

std::optional<core::SteadyTime> ProbeSchedule::next_due() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

}  // namespace rdmadiag::probes
