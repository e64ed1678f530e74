// What the responder remembers of each prober: the replay window of every session, when it was last
// answered, and a rate limit for every source GID. Bounded: a full table forgets those that were
// idle for a minute, and when all are busy refuses new ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "agent/core/clock.h"
#include "agent/core/snapshot.h"
#include "probes/replay_window.h"
#include "probes/token_bucket.h"

namespace rdmadiag::probes {

struct SessionKey {
  core::Gid source{};
  std::uint32_t source_qpn = 0;
  std::uint32_t source_epoch = 0;
  std::uint32_t session = 0;

  friend bool operator==(const SessionKey&, const SessionKey&) = default;
};

struct SessionLimits {
  std::size_t sessions = 8192;
  std::size_t sources = 4096;
  double rate_per_source = 200;
  double rate = 20'000;  // of this RNIC
  std::chrono::seconds idle{60};
};

class SessionTable {
 public:
  struct Session {
    ReplayWindow window;
    core::SteadyTime last_seen{};
    core::SteadyTime last_ack{};  // zero before the first
  };
  enum class Verdict : std::uint8_t { kAccepted, kReplayed, kRateLimited };
  struct Admission {
    Verdict verdict = Verdict::kAccepted;
    std::uint64_t bitmap = 0;
    Session* session = nullptr;  // until the next call; null unless accepted
  };

  SessionTable(const SessionLimits& limits, core::SteadyTime now);

  // Replays are refused before they are counted against the rate of the source they imitate.
  [[nodiscard]] Admission admit(const SessionKey& key, std::uint32_t sequence,
                                core::SteadyTime now);
  [[nodiscard]] std::size_t size() const { return sessions_.size(); }

 private:
  struct Source {
    TokenBucket bucket;
    core::SteadyTime last_seen{};
  };
  struct Hash {
    [[nodiscard]] std::size_t operator()(const SessionKey& key) const;
  };

  [[nodiscard]] bool within_rate(const core::Gid& source, core::SteadyTime now);
  template <class Map>
  [[nodiscard]] bool make_room(Map& map, std::size_t limit, core::SteadyTime now);

  SessionLimits limits_;
  TokenBucket total_;
  std::map<core::Gid, Source> sources_;
  std::unordered_map<SessionKey, Session, Hash> sessions_;
  core::SteadyTime last_sweep_{};
};

}  // namespace rdmadiag::probes
