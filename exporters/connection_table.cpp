#include "exporters/connection_table.h"

#include <algorithm>

namespace rdmadiag::exporters {
namespace {

// A client this slow to take its response gives way like an idle one.
constexpr std::chrono::seconds kSendGrace{2};

bool waits(ConnectionPhase phase) {
  return phase == ConnectionPhase::kRequest || phase == ConnectionPhase::kIdle;
}

}  // namespace

ConnectionTable::Entry* ConnectionTable::longest_waiting(const std::string* group,
                                                         core::SteadyTime now) {
  Entry* best = nullptr;
  for (Entry& entry : entries_) {
    const bool stalled = entry.phase == ConnectionPhase::kSending && now - entry.since > kSendGrace;
    if ((!waits(entry.phase) && !stalled) || (group != nullptr && entry.group != *group)) {
      continue;
    }
    if (best == nullptr || entry.since < best->since) {
      best = &entry;
    }
  }
  return best;
}

ConnectionTable::Admission ConnectionTable::admit(const std::string& group, core::SteadyTime now) {
  const auto same_group = std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.group == group && entry.phase != ConnectionPhase::kClosing;
  });
  const bool group_full =
      !group.empty() && static_cast<std::size_t>(same_group) >= limits_.per_group;
  if (!group_full && size() < limits_.total) {
    return {true, std::nullopt};
  }
  Entry* victim = longest_waiting(group_full ? &group : nullptr, now);
  if (victim == nullptr) {
    return {false, std::nullopt};
  }
  victim->phase = ConnectionPhase::kClosing;
  return {true, victim->fd};
}

void ConnectionTable::add(int fd, std::string group, core::SteadyTime now) {
  entries_.push_back({fd, std::move(group), ConnectionPhase::kRequest, now});
}

void ConnectionTable::enter(int fd, ConnectionPhase phase, core::SteadyTime now) {
  for (Entry& entry : entries_) {
    if (entry.fd == fd && entry.phase != phase && entry.phase != ConnectionPhase::kClosing) {
      entry.phase = phase;
      entry.since = now;
    }
  }
}

void ConnectionTable::remove(int fd) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.fd == fd; });
}

std::vector<int> ConnectionTable::expire(core::SteadyTime now) {
  std::vector<int> late;
  for (Entry& entry : entries_) {
    const auto at = deadline(entry);
    if (at && *at <= now) {
      entry.phase = ConnectionPhase::kClosing;
      late.push_back(entry.fd);
    }
  }
  return late;
}

std::optional<core::SteadyTime> ConnectionTable::next_deadline() const {
  std::optional<core::SteadyTime> next;
  for (const Entry& entry : entries_) {
    const auto at = deadline(entry);
    if (at && (!next || *at < *next)) {
      next = at;
    }
  }
  return next;
}

std::size_t ConnectionTable::size() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [](const Entry& entry) { return entry.phase != ConnectionPhase::kClosing; }));
}

std::optional<int> ConnectionTable::evict_any(core::SteadyTime now) {
  Entry* victim = longest_waiting(nullptr, now);
  if (victim == nullptr) {
    return std::nullopt;
  }
  victim->phase = ConnectionPhase::kClosing;
  return victim->fd;
}

std::optional<core::SteadyTime> ConnectionTable::deadline(const Entry& entry) const {
  switch (entry.phase) {
    case ConnectionPhase::kRequest: return entry.since + limits_.request;
    case ConnectionPhase::kIdle: return entry.since + limits_.idle;
    case ConnectionPhase::kSending: return entry.since + limits_.send;
    case ConnectionPhase::kHandling:
    case ConnectionPhase::kClosing: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rdmadiag::exporters
