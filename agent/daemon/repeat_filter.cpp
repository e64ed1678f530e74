#include "agent/daemon/repeat_filter.h"

namespace rdmadiag::daemon {

std::optional<std::uint64_t> RepeatFilter::pass(const std::string& message, core::SteadyTime now) {
  const auto is_over = [&](const Seen& seen) { return now - seen.window_start >= limits_.window; };
  const auto found = seen_.find(message);
  if (found != seen_.end()) {
    Seen& seen = found->second;
    if (is_over(seen)) {
      const std::uint64_t held_back = seen.held_back;
      seen = {.window_start = now, .passed = 1};
      return held_back;
    }
    if (seen.passed < limits_.passes) {
      ++seen.passed;
      return 0;
    }
    ++seen.held_back;
    return std::nullopt;
  }
  std::erase_if(seen_, [&](const auto& entry) {
    return entry.second.held_back == 0 && is_over(entry.second);
  });
  // Full of messages that are all current: rather a repeated line than a lost one.
  if (seen_.size() < limits_.messages)
    seen_.emplace(message, Seen{.window_start = now, .passed = 1});
  return 0;
}

}  // namespace rdmadiag::daemon
