#include "agent/core/resource_history.h"

#include <algorithm>
#include <optional>

namespace rdmadiag::core {
namespace {

template <class Looks>
bool rises_throughout(const Looks& looks) {
  return std::adjacent_find(looks.begin(), looks.end(), [](const auto& earlier, const auto& later) {
           return later.count <= earlier.count;
         }) == looks.end();
}

}  // namespace

void ResourceHistory::observe(const HostSnapshot& host) {
  std::erase_if(devices_, [&](const auto& known) {
    return std::none_of(host.devices.begin(), host.devices.end(),
                        [&](const DeviceEntry& entry) { return entry.name == known.first; });
  });
  for (const DeviceEntry& entry : host.devices) {
    if (entry.snapshot != nullptr) note(*entry.snapshot, devices_[entry.name]);
  }
  growths_.clear();
  for (const auto& [name, device] : devices_) {
    for (const auto& [object, looks] : device.objects) {
      if (looks.size() <= kLooks || !rises_throughout(looks)) continue;
      const std::uint64_t risen = looks.back().count - looks.front().count;
      if (risen < kLeast || risen < looks.front().count / 10) continue;
      const std::chrono::duration<double> apart = looks.back().at - looks.front().at;
      growths_[{name, object}] = {looks.front().count, looks.back().count, apart.count(), kLooks};
    }
  }
}

void ResourceHistory::note(const DeviceSnapshot& snapshot, Device& device) {
  if (device.guid != snapshot.node_guid) device = {snapshot.node_guid, {}, {}};
  const bool first = device.objects.empty();
  if (!first && snapshot.read_steady - device.last < kApart) return;
  device.last = snapshot.read_steady;
  std::map<std::string, std::deque<Look>> objects;
  for (const ResourceCount& resource : snapshot.resources) {
    auto& looks = objects[resource.object];
    if (const auto known = device.objects.find(resource.object); known != device.objects.end())
      looks = std::move(known->second);
    looks.push_back({snapshot.read_steady, resource.current});
    if (looks.size() > kLooks + 1) looks.pop_front();
  }
  device.objects = std::move(objects);
}

}  // namespace rdmadiag::core
