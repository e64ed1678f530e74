// Random lives of probes against a hostile network: whatever happens, every probe gets exactly one
// outcome, no slot is lost, and no measured part is negative.
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "probes/pending.h"

using namespace rdmadiag;
using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

using Key = std::pair<std::uint32_t, std::uint32_t>;  // session, sequence

class Chaos {
 public:
  explicit Chaos(std::uint32_t seed, std::uint32_t first_sequence)
      : random_(seed), sequences_(3, first_sequence) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      collect();
    }
    now_ += 6s;
    pending_.expire(now_);
    collect();
  }

  // Every probe that was accepted, and how often it was decided.
  std::map<Key, int> outcomes;
  std::size_t accepted = 0;
  std::size_t left() const { return pending_.size(); }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void step() {
    switch (below(8)) {
      case 0:
      case 1: post(); break;
      case 2: complete_send(); break;
      case 3:
      case 4: acknowledge(); break;
      case 5:
        if (below(50) == 0) pending_.own_stall(now_ - std::chrono::milliseconds(below(300)), now_);
        if (below(50) == 0) pending_.target_changed(below(3));
        if (below(20) == 0) pending_.stale(below(3), any_sequence());
        break;
      default:
        now_ += std::chrono::microseconds(below(below(10) == 0 ? 900'000 : 20'000));
        pending_.expire(now_);
        break;
    }
  }

  void post() {
    const std::uint32_t target = below(3);
    const std::uint32_t sequence = sequences_[target]++;
    const auto id = pending_.add(
        {.target = target, .session = target, .sequence = sequence, .label = 1, .posted = now_});
    if (!id) return;
    ++accepted;
    outcomes.emplace(Key{target, sequence}, 0);
    ids_.push_back(*id);
    if (below(20) == 0) pending_.post_failed(*id, core::ProbeOutcome::kLocalTx);
  }

  void complete_send() {
    if (ids_.empty()) return;
    const WorkId id = ids_[below(static_cast<std::uint32_t>(ids_.size()))];
    pending_.send_completed(id, below(20) != 0, {.host = now_, .device = {}});
  }

  // A sequence near the newest of a session, posted or not, decided or not.
  std::uint32_t any_sequence() { return sequences_[0] - below(100); }

  void acknowledge() {
    const std::uint32_t target = below(3);
    const Message ack{.type = below(2) == 0 ? MessageType::kAck1 : MessageType::kAck2,
                      .flags = static_cast<std::uint8_t>(below(16)),
                      .session = target,
                      .sequence = sequences_[target] - below(40),
                      .arrived_bitmap = random_(),
                      .responder_delay_nanoseconds = below(2'000'000'000),
                      .responder_lag_microseconds = below(10) == 0 ? below(3'000'000) : 0};
    pending_.acknowledged(ack, {}, {.host = now_, .device = {}}, now_ + 1us);
  }

  void collect() {
    for (const DecidedProbe& probe : pending_.take_decided()) {
      ++outcomes[{probe.probe.session, probe.probe.sequence}];
      if (!probe.sample) continue;
      CHECK(probe.outcome == core::ProbeOutcome::kOk);
      CHECK(probe.sample->plausible());
      CHECK(probe.sample->network_rtt >= 0ns);
      CHECK(probe.sample->prober_delay >= 0ns);
      CHECK(probe.sample->responder_delay >= 0ns);
    }
  }

  std::mt19937_64 random_;
  std::vector<std::uint32_t> sequences_;
  std::vector<WorkId> ids_;
  core::SteadyTime now_{1000s};
  PendingProbes pending_{64, {}, {}};
};

}  // namespace

TEST_CASE("every probe gets exactly one outcome and no slot is lost") {
  // Around the wraps of 16 and 32 bits, and a plain start.
  for (const std::uint32_t first : {1u, 0xffffu - 500, 0xffffffffu - 500}) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      INFO("first sequence " << first << " seed " << seed);
      Chaos chaos(seed, first);
      chaos.run(20'000);
      CHECK(chaos.accepted > 1500);
      CHECK(chaos.outcomes.size() == chaos.accepted);
      CHECK(chaos.left() == 0);
      std::size_t wrong = 0;
      for (const auto& [key, times] : chaos.outcomes) wrong += times == 1 ? 0 : 1;
      CHECK(wrong == 0);
    }
  }
}
