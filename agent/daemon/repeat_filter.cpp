#include "agent/daemon/repeat_filter.h"

namespace rdmadiag::daemon {

std::optional<std::uint64_t> RepeatFilter::pass(const std::string& message, core::SteadyTime now) {
  const auto found = seen_.find(message);
  if (found != seen_.end()) {
    Seen& seen = found->second;
    if (now - seen.passed_at < window_) {
      ++seen.held_back;
      return std::nullopt;
    }
    const std::uint64_t held_back = seen.held_back;
    seen = {.passed_at = now};
    return held_back;
  }
  std::erase_if(seen_, [&](const auto& entry) {
    return entry.second.held_back == 0 && now - entry.second.passed_at >= window_;
  });
  // Full of messages that are all current: rather a repeated line than a lost one.
  if (seen_.size() < capacity_) seen_.emplace(message, Seen{.passed_at = now});
  return 0;
}

}  // namespace rdmadiag::daemon
