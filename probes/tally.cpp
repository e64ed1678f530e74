#include "probes/tally.h"

#include <algorithm>
#include <utility>

namespace rdmadiag::probes {
namespace {

using core::ProbeOutcome;
using namespace std::chrono_literals;

constexpr std::size_t kKeptWindows = 10;
constexpr std::size_t kMaxRecords = 20'000;
constexpr std::size_t kSamplesPerWindow = 128;
constexpr int kFirstHopLimit = 64;
// The last decision about a probe of a window comes this long after its end.
constexpr std::chrono::nanoseconds kWindowGrace = 6s;
// A target that answered so recently, in its own probe intervals or seconds, answers.
constexpr int kRecentIntervals = 4;
constexpr std::chrono::nanoseconds kRecent = 5s;

bool says_something(ProbeOutcome outcome) {
  switch (outcome) {
    case ProbeOutcome::kOk:
    case ProbeOutcome::kOkNoAck2:
    case ProbeOutcome::kLate:
    case ProbeOutcome::kLostForward:
    case ProbeOutcome::kLostReverse:
    case ProbeOutcome::kLostUnknown: return true;
    case ProbeOutcome::kLocalTx:
    case ProbeOutcome::kSelfStall:
    case ProbeOutcome::kPeerStall:
    case ProbeOutcome::kStale:
    case ProbeOutcome::kNotSent: return false;
  }
  return false;
}

std::optional<core::LossDirection> loss(ProbeOutcome outcome) {
  switch (outcome) {
    case ProbeOutcome::kLostForward: return core::LossDirection::kForward;
    case ProbeOutcome::kLostReverse:
    case ProbeOutcome::kOkNoAck2: return core::LossDirection::kReverse;
    case ProbeOutcome::kLostUnknown: return core::LossDirection::kUnknown;
    default: return std::nullopt;
  }
}

double seconds(std::chrono::nanoseconds value) {
  return std::chrono::duration<double>(value).count();
}

bool is_marked(const std::optional<std::uint8_t>& traffic_class) {
  return traffic_class && (*traffic_class & 0x3) == 0x3;
}

// Of samples that are not in order; empty without any.
std::optional<double> median(std::vector<float> samples) {
  if (samples.empty()) return std::nullopt;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

std::optional<double> most(const std::vector<float>& samples) {
  if (samples.empty()) return std::nullopt;
  return *std::ranges::max_element(samples);
}

std::optional<double> mean(double sum, std::uint64_t count) {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

bool is_remote(core::ProbeScope scope) {
  return scope != core::ProbeScope::kLoopback && scope != core::ProbeScope::kSibling;
}

}  // namespace

bool is_bad_window(std::uint64_t sent, std::uint64_t lost) {
  return lost > 0 && static_cast<double>(lost) >= 0.01 * static_cast<double>(sent);
}

void Tally::set_target(std::uint32_t id, const TallyTarget& target) {
  targets_[id].about = target;
  static_cast<void>(flow(target));
}

void Tally::remove_target(std::uint32_t id) {
  const auto found = targets_.find(id);
  if (found == targets_.end()) return;
  const TallyTarget gone = found->second.about;
  targets_.erase(found);
  const auto same_flow = [&](const auto& entry) {
    return entry.second.about.scope == gone.scope && entry.second.about.leaf == gone.leaf;
  };
  if (std::ranges::any_of(targets_, same_flow)) return;
  std::erase_if(flows_, [&](const core::ProbeFlow& flow) {
    return flow.scope == gone.scope && flow.target_leaf == gone.leaf;
  });
}

void Tally::set_resolved(std::uint32_t id, bool resolved) {
  if (const auto found = targets_.find(id); found != targets_.end()) {
    found->second.resolved = resolved;
  }
}

void Tally::set_reachability(std::uint32_t id, PeerReachability reachability) {
  if (const auto found = targets_.find(id); found != targets_.end()) {
    found->second.reachability = reachability;
  }
}

core::ProbeFlow& Tally::flow(const TallyTarget& target) {
  const auto found = std::ranges::find_if(flows_, [&](const core::ProbeFlow& flow) {
    return flow.scope == target.scope && flow.target_leaf == target.leaf;
  });
  if (found != flows_.end()) return *found;
  return flows_.emplace_back(core::ProbeFlow{.scope = target.scope, .target_leaf = target.leaf});
}

core::ProbeHistogram& Tally::rtt(core::ProbeScope scope, core::ProbeTimestamps stamps) {
  const auto found = std::ranges::find_if(rtt_, [&](const core::ProbeRtt& entry) {
    return entry.scope == scope && entry.timestamps == stamps;
  });
  if (found != rtt_.end()) return found->network;
  return rtt_.emplace_back(core::ProbeRtt{.scope = scope, .timestamps = stamps}).network;
}

std::int64_t Tally::window_of(core::SteadyTime posted) const {
  const auto wall = clock_.system() - std::chrono::duration_cast<core::SystemTime::duration>(
                                          clock_.steady() - posted);
  const auto whole = std::chrono::floor<std::chrono::seconds>(wall).time_since_epoch();
  return (whole - whole % core::kProbeWindow).count();
}

void Tally::record_not_sent(std::uint32_t target) {
  if (targets_.contains(target)) ++outcomes_[static_cast<std::size_t>(ProbeOutcome::kNotSent)];
}

void Tally::record(const DecidedProbe& probe) {
  const auto found = targets_.find(probe.probe.target);
  if (found == targets_.end()) return;
  Target& target = found->second;
  ++outcomes_[static_cast<std::size_t>(probe.outcome)];
  if (probe.invalid_sample) ++invalid_samples_;
  if (!says_something(probe.outcome)) return;
  close_windows();

  if (probe.outcome == ProbeOutcome::kOk || probe.outcome == ProbeOutcome::kLate) {
    target.last_ok = std::max(target.last_ok, probe.probe.posted);
    target.last_ok_wall = clock_.system();
  }
  core::ProbeFlow& counters = flow(target.about);
  ++counters.sent;
  if (probe.arrived) ++counters.arrived;

  OpenWindow& open = open_[window_of(probe.probe.posted)];
  Window& window = open.targets[probe.probe.target];
  ++window.sent;
  PathCounts& path = open.paths[{probe.probe.target, probe.probe.label}];
  ++path.sent;
  if (probe.sample) record_sample(target, probe, window);
  record_marks(probe, open);
  if (const auto direction = loss(probe.outcome)) {
    ++window.lost;
    ++(*direction == core::LossDirection::kForward   ? path.lost_forward
       : *direction == core::LossDirection::kReverse ? path.lost_reverse
                                                     : path.lost_unknown);
    record_loss(target, probe);
  }
}

void Tally::record_sample(const Target& target, const DecidedProbe& probe, Window& window) {
  const ProbeSample& sample = *probe.sample;
  rtt(target.about.scope, sample.timestamps).observe(seconds(sample.network_rtt));
  prober_delay_.observe(seconds(sample.prober_delay));
  responder_delay_.observe(seconds(sample.responder_delay));
  ++window.samples;
  window.prober_seconds += seconds(sample.prober_delay);
  window.responder_seconds += seconds(sample.responder_delay);
  if (window.rtt_seconds.size() < kSamplesPerWindow) {
    window.rtt_seconds.push_back(static_cast<float>(seconds(sample.network_rtt)));
  }
}

void Tally::record_marks(const DecidedProbe& probe, OpenWindow& open) {
  if (is_marked(probe.forward_traffic_class)) ++ecn_marked_;
  if (is_marked(probe.reverse_traffic_class)) ++ecn_marked_;
  // A packet without an IP header or GRH has no hop limit, and no class to compare.
  if (probe.forward_hop_limit.value_or(0) > 0 && probe.forward_traffic_class &&
      *probe.forward_traffic_class >> 2 != traffic_class_ >> 2) {
    ++dscp_rewritten_;
  }
  if (probe.forward_hop_limit) {
    const int hops = kFirstHopLimit - *probe.forward_hop_limit;
    open.most_hops = std::max(open.most_hops, hops);
  }
}

void Tally::record_loss(const Target& target, const DecidedProbe& probe) {
  const auto direction = static_cast<std::size_t>(*loss(probe.outcome));
  const auto why = static_cast<std::size_t>(cause(target, probe));
  ++flow(target.about).lost[direction][why];
}

bool Tally::answered_about(const Target& target, core::SteadyTime posted) const {
  const auto recent =
      std::max<std::chrono::nanoseconds>(kRecent, kRecentIntervals * target.about.interval);
  return target.last_ok != core::SteadyTime{} && target.last_ok >= posted - recent;
}

core::LossCause Tally::cause(const Target& target, const DecidedProbe& probe) const {
  // The host is up and says that no agent listens: its queue pairs are gone with the agent.
  if (target.reachability == PeerReachability::kRefused) return core::LossCause::kHost;
  if (answered_about(target, probe.probe.posted)) return core::LossCause::kPath;
  bool has_neighbours = false;
  for (const auto& [id, other] : targets_) {
    if (&other == &target || other.about.leaf != target.about.leaf) continue;
    if (!is_remote(other.about.scope) || !other.resolved) continue;
    has_neighbours = true;
    if (answered_about(other, probe.probe.posted)) return core::LossCause::kEndpoint;
  }
  if (has_neighbours) return core::LossCause::kPath;
  return target.reachability == PeerReachability::kUnreachable ? core::LossCause::kEndpoint
                                                               : core::LossCause::kPath;
}

void Tally::close_windows() {
  const std::int64_t now = window_of(clock_.steady() - kWindowGrace);
  while (!open_.empty() && open_.begin()->first < now) {
    const auto node = open_.extract(open_.begin());
    close(node.key(), node.mapped());
    last_closed_ = node.key();
  }
  // Nothing at all was decided about the latest one: what the one before said is over.
  if (last_closed_ < now - core::kProbeWindow.count()) {
    for (auto& [id, target] : targets_) target.complete = Window{};
    hops_.reset();
  }
  const std::int64_t oldest =
      now - static_cast<std::int64_t>(kKeptWindows) * core::kProbeWindow.count();
  while (!records_.empty() && (records_.front().window < oldest || records_.size() > kMaxRecords)) {
    records_.pop_front();
  }
}

void Tally::close(std::int64_t window, const OpenWindow& open) {
  for (auto& [id, target] : targets_) {
    const auto found = open.targets.find(id);
    target.complete = found == open.targets.end() ? Window{} : found->second;
    if (found == open.targets.end()) continue;
    const Window& last = target.complete;
    if (target.history.size() == core::kPairWindows) target.history.pop_front();
    target.history.push_back({.start = window,
                              .sent = last.sent,
                              .lost = last.lost,
                              .network_p50 = median(last.rtt_seconds),
                              .network_most = most(last.rtt_seconds),
                              .prober_mean = mean(last.prober_seconds, last.samples),
                              .responder_mean = mean(last.responder_seconds, last.samples)});
  }
  hops_.reset();
  if (open.most_hops >= 0) hops_ = open.most_hops;
  for (const auto& [path, counts] : open.paths) {
    records_.push_back({path.first, path.second, window, counts});
  }
}

void Tally::fill_peers(core::ProbeSnapshot& snapshot) const {
  for (const auto& [id, target] : targets_) {
    core::ProbePeer peer{.peer = target.about.peer,
                         .leaf = target.about.leaf,
                         .scope = target.about.scope,
                         .resolved = target.resolved,
                         .bad = is_bad_window(target.complete.sent, target.complete.lost),
                         .sent = target.complete.sent,
                         .lost = target.complete.lost,
                         .rtt_p50_seconds = median(target.complete.rtt_seconds),
                         .rtt_max_seconds = most(target.complete.rtt_seconds),
                         .last_ok = target.last_ok_wall};
    snapshot.peers.push_back(std::move(peer));
  }
}

core::PairHistory Tally::history(std::string_view peer) {
  close_windows();
  for (const auto& [id, target] : targets_) {
    if (target.about.peer == peer) return {target.history.begin(), target.history.end()};
  }
  return {};
}

void Tally::fill(core::ProbeSnapshot& snapshot) {
  close_windows();
  snapshot.flows = flows_;
  snapshot.outcomes = outcomes_;
  snapshot.invalid_samples = invalid_samples_;
  snapshot.rtt = rtt_;
  snapshot.prober_delay = prober_delay_;
  snapshot.responder_delay = responder_delay_;
  snapshot.ecn_marked = ecn_marked_;
  snapshot.dscp_rewritten = dscp_rewritten_;
  snapshot.hops = hops_;
  fill_peers(snapshot);
}

void Tally::fill_paths(core::ProbeSnapshot& snapshot) {
  close_windows();
  std::map<std::uint32_t, std::uint32_t> peer_index;
  for (const Record& record : records_) {
    const auto target = targets_.find(record.target);
    if (target == targets_.end()) continue;
    const auto next = static_cast<std::uint32_t>(snapshot.path_peers.size());
    const auto [entry, added] = peer_index.emplace(record.target, next);
    if (added) snapshot.path_peers.push_back(target->second.about.peer);
    snapshot.paths.push_back({.peer = entry->second,
                              .label = record.label,
                              .window_start = record.window,
                              .sent = record.counts.sent,
                              .lost_forward = record.counts.lost_forward,
                              .lost_reverse = record.counts.lost_reverse,
                              .lost_unknown = record.counts.lost_unknown});
  }
}

}  // namespace rdmadiag::probes
