#include "agent/daemon/observer.h"

#include "agent/core/log.h"
#include "agent/daemon/change_log.h"

namespace rdmadiag::daemon {

Observer::Observer(host::Collector& collector, core::Expectations expect)
    : collector_(collector), expect_(std::move(expect)) {}

std::shared_ptr<const Observation> Observer::observe() {
  const auto host = collector_.collect();
  const std::lock_guard lock(mutex_);
  const bool older = last_ && host->taken_steady < last_->host->taken_steady;
  if (last_ && !stale_ && (last_->host == host || older)) return last_;
  stale_ = false;
  for (const ChangeLine& line : describe_changes(last_ ? last_->host.get() : nullptr, *host))
    core::log(line.level, line.message, line.fields);
  history_.observe(*host);
  remember(host);
  auto observation = std::make_shared<Observation>();
  observation->host = host;
  observation->at_start = at_start_;
  observation->before = baseline_ == host ? nullptr : baseline_;
  observation->ports = port_statuses(*host);
  observation->diagnosis = core::diagnose({.now = host.get(),
                                           .before = observation->before.get(),
                                           .expect = expect_,
                                           .highest_rates = &history_.highest_rates()});
  last_ = observation;
  return observation;
}

void Observer::expect(core::Expectations expect) {
  const std::lock_guard lock(mutex_);
  expect_ = std::move(expect);
  stale_ = true;
}

// Two snapshots are kept, one of them 60 to 120 seconds old: a window that does not depend on how
// often somebody asks.
void Observer::remember(const std::shared_ptr<const core::HostSnapshot>& host) {
  if (!at_start_) {
    at_start_ = host;
    baseline_ = host;
    next_baseline_ = host;
  } else if (host->taken_steady - next_baseline_->taken_steady >= kLookBack) {
    baseline_ = next_baseline_;
    next_baseline_ = host;
  }
}

std::vector<core::PortStatus> Observer::port_statuses(const core::HostSnapshot& host) const {
  std::vector<core::PortStatus> statuses;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) continue;
    for (const core::PortSnapshot& port : entry.snapshot->ports)
      statuses.push_back({.device = entry.name,
                          .port = port.number,
                          .expected_bits_per_second = history_.expected_rate(
                              entry.name, port.number, expect_.rate_bits_per_second),
                          .state_changes = {},
                          .last_state_change = {}});
  }
  return statuses;
}

}  // namespace rdmadiag::daemon
