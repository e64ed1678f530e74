#include "probes/discovery/discovery.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::probes {

Discovery::Discovery(std::vector<std::unique_ptr<PeerSource>> sources, const core::Clock& clock,
                     OnChange on_change)
    : clock_(clock), on_change_(std::move(on_change)) {
  for (auto& source : sources) {
    SourceState state{.name = source->name()};
    slots_.push_back({std::move(source), std::move(state), {}});
  }
  current_ = merged();
  for (Slot& slot : slots_) {
    threads_.emplace_back([this, &slot] {
      slot.source->run(stop_, [this, &slot](core::Result<SourceReading> reading) {
        take(slot, std::move(reading));
      });
    });
  }
}

Discovery::~Discovery() { stop_.set(); }

std::shared_ptr<const PeerSet> Discovery::current() const {
  const std::scoped_lock lock(mutex_);
  return current_;
}

void Discovery::take(Slot& slot, core::Result<SourceReading> reading) {
  if (stop_.is_set()) return;
  const std::scoped_lock in_order(change_mutex_);
  std::shared_ptr<const PeerSet> changed;
  {
    const std::scoped_lock lock(mutex_);
    slot.state.ok = reading.has_value();
    if (reading) {
      slot.peers = std::move(reading->peers);
      slot.state.problem = std::move(reading->problem);
      slot.state.peers = slot.peers.size();
      slot.state.last_success = clock_.system();
    } else {
      slot.state.problem = reading.error().message();
    }
    auto next = merged();
    if (next->peers != current_->peers) changed = next;
    current_ = std::move(next);
  }
  if (changed && on_change_) on_change_(std::move(changed));
}

std::shared_ptr<const PeerSet> Discovery::merged() const {
  auto set = std::make_shared<PeerSet>();
  std::vector<std::vector<Peer>> lists;
  for (const Slot& slot : slots_) {
    lists.push_back(slot.peers);
    set->sources.push_back(slot.state);
  }
  set->peers = merge_peers(lists, set->truncated);
  return set;
}

std::vector<Peer> merge_peers(const std::vector<std::vector<Peer>>& lists, bool& truncated) {
  std::vector<Peer> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Peer& a, const Peer& b) { return a.id < b.id; });
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Peer& a, const Peer& b) { return a.id == b.id; }),
            all.end());
  truncated = all.size() > kMaxPeers;
  if (truncated) all.resize(kMaxPeers);
  return all;
}

}  // namespace rdmadiag::probes
