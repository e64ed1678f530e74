#include "probes/session_table.h"

#include <xxhash.h>

#include <iterator>

namespace rdmadiag::probes {
namespace {

// A full table is swept at most this often, so that a flood of new sessions costs no more.
constexpr std::chrono::seconds kSweepInterval{1};

}  // namespace

SessionTable::SessionTable(const SessionLimits& limits, core::SteadyTime now)
    : limits_(limits), total_(limits.rate, limits.rate / 10, now) {}

std::size_t SessionTable::Hash::operator()(const SessionKey& key) const {
  const std::uint64_t numbers = std::uint64_t{key.source_qpn} << 32 | key.session;
  return XXH3_64bits_withSeed(key.source.data(), key.source.size(), numbers ^ key.source_epoch);
}

template <class Map>
bool SessionTable::make_room(Map& map, std::size_t limit, core::SteadyTime now) {
  if (map.size() < limit) return true;
  if (now - last_sweep_ < kSweepInterval) return false;
  last_sweep_ = now;
  std::erase_if(map,
                [&](const auto& entry) { return now - entry.second.last_seen > limits_.idle; });
  return map.size() < limit;
}

bool SessionTable::within_rate(const core::Gid& source, core::SteadyTime now) {
  auto found = sources_.find(source);
  if (found == sources_.end()) {
    if (!make_room(sources_, limits_.sources, now)) return false;
    const TokenBucket bucket(limits_.rate_per_source, limits_.rate_per_source, now);
    found = sources_.emplace(source, Source{bucket, now}).first;
  }
  found->second.last_seen = now;
  return found->second.bucket.take(now) && total_.take(now);
}

SessionTable::Admission SessionTable::admit(const SessionKey& key, std::uint32_t sequence,
                                            core::SteadyTime now) {
  auto found = sessions_.find(key);
  if (found == sessions_.end()) {
    if (!make_room(sessions_, limits_.sessions, now)) return {.verdict = Verdict::kRateLimited};
    found = sessions_.emplace(key, Session{}).first;
  }
  found->second.last_seen = now;
  const auto bitmap = found->second.window.accept(sequence);
  if (!bitmap) return {.verdict = Verdict::kReplayed};
  if (!within_rate(key.source, now)) return {.verdict = Verdict::kRateLimited};
  return {.verdict = Verdict::kAccepted, .bitmap = *bitmap, .session = &found->second};
}

}  // namespace rdmadiag::probes
