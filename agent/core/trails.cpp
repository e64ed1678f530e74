#include "agent/core/trails.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "agent/core/changes.h"

namespace rdmadiag::core {
namespace {

template <class Use>
void each_counter(const DeviceSnapshot& device, const Use& use) {
  for (const CounterSample& sample : device.counters) use(sample);
  for (const PortSnapshot& port : device.ports) {
    for (const CounterSample& sample : port.counters) use(sample);
  }
}

// A hash of names and owners: the same counters in another order are another layout.
std::uint64_t layout_of(const DeviceSnapshot& device) {
  std::uint64_t hash = std::hash<std::string_view>()(device.node_guid);
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  each_counter(device, [&](const CounterSample& sample) {
    mix(static_cast<std::uint64_t>(sample.source));
    mix(sample.spec != nullptr ? std::hash<const void*>()(sample.spec)
                               : std::hash<std::string_view>()(sample.unknown_name));
  });
  return hash;
}

TrailDevice trail_device(const DeviceSnapshot& device) {
  TrailDevice taken{.name = device.name,
                    .read_at = device.read_steady,
                    .layout = layout_of(device),
                    .values = {}};
  std::size_t counters = device.counters.size();
  for (const PortSnapshot& port : device.ports) counters += port.counters.size();
  taken.values.reserve(counters);
  each_counter(device, [&](const CounterSample& sample) { taken.values.push_back(sample.value); });
  return taken;
}

const TrailDevice* find_device(const TrailPoint& point, const TrailDevice& wanted) {
  const auto found = std::ranges::lower_bound(point.devices, wanted.name, {}, &TrailDevice::name);
  const bool same = found != point.devices.end() && found->name == wanted.name;
  return same && found->layout == wanted.layout ? &*found : nullptr;
}

TrailStep step_between(const TrailDevice& before, const TrailDevice& after, std::size_t counter,
                       SteadyTime first) {
  TrailStep step{.from = before.read_at - first, .to = after.read_at - first, .per_second = {}};
  if (const auto more = increase(before.values[counter], after.values[counter])) {
    const std::chrono::duration<double> seconds = after.read_at - before.read_at;
    step.per_second = static_cast<double>(*more) / seconds.count();
  }
  return step;
}

}  // namespace

void TrailRecorder::observe(const HostSnapshot& host) {
  if (!points_.empty() && host.taken_steady - points_.back()->at < period_) return;
  auto point = std::make_shared<TrailPoint>();
  point->at = host.taken_steady;
  for (const DeviceEntry& entry : host.devices) {
    if (entry.snapshot) point->devices.push_back(trail_device(*entry.snapshot));
  }
  std::ranges::sort(point->devices, {}, &TrailDevice::name);
  points_.push_back(std::move(point));
  if (points_.size() < kMostPoints) return;
  Trails kept;
  for (std::size_t i = 0; i < points_.size(); i += 2) kept.push_back(std::move(points_[i]));
  points_ = std::move(kept);
  period_ *= 2;
}

std::vector<std::vector<TrailStep>> trail_steps(const Trails& trails, const DeviceSnapshot& now) {
  const TrailDevice last = trail_device(now);
  std::vector<const TrailDevice*> reads;
  for (const auto& point : trails) {
    const TrailDevice* read = find_device(*point, last);
    const SteadyTime after = reads.empty() ? SteadyTime::min() : reads.back()->read_at;
    if (read != nullptr && read->read_at > after && read->read_at < last.read_at)
      reads.push_back(read);
  }
  std::vector<std::vector<TrailStep>> steps(last.values.size());
  if (reads.empty()) return steps;
  reads.push_back(&last);
  for (std::size_t counter = 0; counter < steps.size(); ++counter) {
    for (std::size_t i = 1; i < reads.size(); ++i) {
      steps[counter].push_back(
          step_between(*reads[i - 1], *reads[i], counter, reads.front()->read_at));
    }
  }
  return steps;
}

}  // namespace rdmadiag::core
