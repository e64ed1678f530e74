#include "agent/daemon/observer.h"

#include "agent/core/log.h"
#include "agent/daemon/change_log.h"

namespace rdmadiag::daemon {
namespace {

void log_all(const std::vector<ChangeLine>& lines) {
  for (const ChangeLine& line : lines) core::log(line.level, line.message, line.fields);
}

}  // namespace

Observer::Observer(host::Collector& collector, core::Expectations expect)
    : collector_(collector), expect_(std::move(expect)) {}

std::shared_ptr<const Observation> Observer::observe() {
  const auto host = collector_.collect();
  const auto probes = probes_ ? probes_() : nullptr;
  const std::lock_guard lock(mutex_);
  return take({host, probes});
}

std::shared_ptr<const Observation> Observer::try_observe(std::chrono::nanoseconds patience) {
  const auto host = collector_.try_collect(patience);
  if (!host) return nullptr;
  const auto probes = probes_ ? probes_() : nullptr;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock ? take({host, probes}) : nullptr;
}

std::shared_ptr<const Observation> Observer::take(const Look& look) {
  const auto& [host, probes] = look;
  const bool older = last_ && host->taken_steady < last_->host->taken_steady;
  if (last_ && !stale_ && (last_->host == host || older)) return last_;
  stale_ = false;
  log_all(describe_changes(last_ ? last_->host.get() : nullptr, *host));
  history_.observe(*host);
  resources_.observe(*host);
  if (watching_ != nullptr) watching_->follow(*host);
  if (bursts_ != nullptr) bursts_->follow(*host);
  remember(look);
  trails_.observe(*host);
  auto observation = std::make_shared<Observation>();
  observation->host = host;
  observation->probes = probes;
  observation->at_start = at_start_;
  if (baseline_.host != host) {
    observation->before = baseline_.host;
    observation->probes_before = baseline_.probes;
  }
  observation->trails = trails_.points();
  observation->ports = port_statuses(*host);
  if (last_) log_all(describe_flaps(last_->ports, observation->ports));
  observation->diagnosis = diagnose(*observation, false);
  last_ = observation;
  return observation;
}

core::Diagnosis Observer::explain(const Observation& observation) {
  const std::lock_guard lock(mutex_);
  return diagnose(observation, true);
}

core::Diagnosis Observer::diagnose(const Observation& observation, bool list_unknown) const {
  return core::diagnose({.now = observation.host.get(),
                         .before = observation.before.get(),
                         .expect = expect_,
                         .limits = limits_,
                         .highest_rates = &history_.highest_rates(),
                         .growths = &resources_.growths(),
                         .probes = observation.probes.get(),
                         .probes_before = observation.probes_before.get(),
                         .list_unknown = list_unknown});
}

void Observer::expect(core::Expectations expect) {
  const std::lock_guard lock(mutex_);
  expect_ = std::move(expect);
  stale_ = true;
}

void Observer::watch(Watching& watching) {
  const std::lock_guard lock(mutex_);
  watching_ = &watching;
  if (last_) watching.follow(*last_->host);
}

void Observer::limits(core::ProcessLimits limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

void Observer::follow_probes(std::function<std::shared_ptr<const Probes>()> probes) {
  probes_ = std::move(probes);
}

void Observer::sample(Bursts& bursts) {
  const std::lock_guard lock(mutex_);
  bursts_ = &bursts;
  if (last_) bursts.follow(*last_->host);
}

std::vector<core::BurstDevice> Observer::bursts() const {
  const std::lock_guard lock(mutex_);
  return bursts_ == nullptr ? std::vector<core::BurstDevice>() : bursts_->report();
}

// Two snapshots are kept, one of them 60 to 120 seconds old: a window that does not depend on how
// often somebody asks.
void Observer::remember(const Look& look) {
  if (!at_start_) {
    at_start_ = look.host;
    baseline_ = look;
    next_baseline_ = look;
  } else if (look.host->taken_steady - next_baseline_.host->taken_steady >= kLookBack) {
    baseline_ = next_baseline_;
    next_baseline_ = look;
  }
}

std::vector<core::PortStatus> Observer::port_statuses(const core::HostSnapshot& host) const {
  std::vector<core::PortStatus> statuses;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports) {
      core::PortStatus& status = statuses.emplace_back();
      status.device = entry.name;
      status.port = port.number;
      status.expected_bits_per_second =
          history_.expected_rate(entry.name, port.number, expect_.rate_bits_per_second);
      const auto seen =
          watching_ == nullptr ? std::nullopt : watching_->transitions(entry.name, port);
      if (!seen) continue;
      status.state_changes = seen->up + seen->down;
      status.last_state_change = seen->last_change;
    }
  }
  return statuses;
}

}  // namespace rdmadiag::daemon
