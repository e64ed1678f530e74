// All sources of peers together: each on a thread of its own, merged into one list that readers
// share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/core/clock.h"
#include "probes/discovery/peer.h"
#include "probes/stop_event.h"

namespace rdmadiag::probes {

struct SourceState {
  std::string name;
  bool ok = false;           // its last look succeeded
  std::string problem = {};  // of its last look; may be set though that succeeded in part
  std::size_t peers = 0;
  core::SystemTime last_success = {};
};

struct PeerSet {
  std::vector<Peer> peers;  // sorted by id, each id once: the first source that has it wins
  std::vector<SourceState> sources;  // in the order given
  bool truncated = false;            // there were more than kMaxPeers
};

class Discovery {
 public:
  // `on_change` is told of every new set whose peers differ from the last, one at a time, from a
  // source's thread. `clock` outlives the discovery.
  using OnChange = std::function<void(std::shared_ptr<const PeerSet>)>;
  Discovery(std::vector<std::unique_ptr<PeerSource>> sources, const core::Clock& clock,
            OnChange on_change);
  ~Discovery();
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  [[nodiscard]] std::shared_ptr<const PeerSet> current() const;  // any thread, never null

 private:
  struct Slot {
    std::unique_ptr<PeerSource> source;
    SourceState state;
    std::vector<Peer> peers;
  };

  void take(Slot& slot, core::Result<SourceReading> reading);
  [[nodiscard]] std::shared_ptr<const PeerSet> merged() const;

  const core::Clock& clock_;
  OnChange on_change_;
  StopEvent stop_;
  std::mutex change_mutex_;  // held over on_change_, so that sets arrive in order
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::shared_ptr<const PeerSet> current_;
  std::vector<std::jthread> threads_;  // last: they use all of the above
};

// One list of all, as PeerSet has it.
[[nodiscard]] std::vector<Peer> merge_peers(const std::vector<std::vector<Peer>>& lists,
                                            bool& truncated);

}  // namespace rdmadiag::probes
