#include "agent/daemon/watching.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/core/log.h"
#include "agent/daemon/change_log.h"

namespace rdmadiag::daemon {
namespace {

using Ports = std::map<std::string, std::vector<host::WatchedPort>>;

constexpr int kLooks = 2;  // at once, and when all has settled

// Waiting is in real time, whatever the program's clock says.
core::SteadyTime real_time() { return core::SystemClock().steady(); }

std::vector<host::WatchedPort> ports_of(const core::DeviceSnapshot& device) {
  std::vector<host::WatchedPort> ports;
  for (const core::PortSnapshot& port : device.ports)
    ports.push_back({device.name, port.number, port.netdev});
  return ports;
}

std::vector<host::WatchedPort> flatten(const Ports& by_device) {
  std::vector<host::WatchedPort> all;
  for (const auto& [device, ports] : by_device) all.insert(all.end(), ports.begin(), ports.end());
  return all;
}

}  // namespace

// Callbacks of the watch may come before there is a Watching, and after it.
struct Watching::Shared {
  std::function<void()> rescan;
  std::function<void()> observe;
  std::chrono::nanoseconds settle{};

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  bool stopping = false;
  int looks = 0;  // yet to be made
  bool ports_changed = false;
  Ports ports;
  std::set<std::string> handles;  // of the devices' health reporters
  std::map<std::tuple<std::string, std::string, std::optional<std::uint32_t>>, core::HealthReporter>
      health;

  void devices_changed() {
    const std::lock_guard lock(mutex);
    if (stopping) return;
    rescan();
    looks = kLooks;
    changed.notify_all();
  }

  void health_changed(const core::HealthReporter& reporter) {
    const std::lock_guard lock(mutex);
    if (!handles.contains(reporter.handle)) return;
    const auto [known, is_new] =
        health.try_emplace({reporter.handle, reporter.name, reporter.port_index});
    const auto line = describe_health(is_new ? nullptr : &known->second, reporter);
    if (line) core::log(line->level, line->message, line->fields);
    known->second = reporter;
  }
};

core::Result<std::unique_ptr<Watching>> Watching::start(WatchingParts parts) {
  auto shared = std::make_shared<Shared>();
  shared->rescan = std::move(parts.rescan);
  shared->observe = std::move(parts.observe);
  shared->settle = parts.settle;
  parts.watch.on_devices_changed = [shared] { shared->devices_changed(); };
  parts.watch.on_health = [shared](const core::HealthReporter& r) { shared->health_changed(r); };
  auto watch = host::Watch::start(std::move(parts.watch));
  if (!watch) return tl::make_unexpected(watch.error());
  // The poll goes on without them.
  for (const core::Error& error : (*watch)->deaf())
    core::log_info("this kernel does not notify", {{"cause", error.message()}});
  return std::unique_ptr<Watching>(new Watching(std::move(shared), *std::move(watch)));
}

Watching::Watching(std::shared_ptr<Shared> shared, std::unique_ptr<host::Watch> watch)
    : shared_(std::move(shared)), watch_(std::move(watch)), thread_([this] { run(); }) {}

Watching::~Watching() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopping = true;
    shared_->changed.notify_all();
  }
  thread_.join();
}

void Watching::run() {
  Shared& shared = *shared_;
  core::SteadyTime next_look = core::SteadyTime::min();
  std::unique_lock lock(shared.mutex);
  while (!shared.stopping) {
    if (std::exchange(shared.ports_changed, false)) {
      std::vector<host::WatchedPort> ports = flatten(shared.ports);
      lock.unlock();
      watch_->set_ports(std::move(ports));  // waits for a look that is stuck
      lock.lock();
    } else if (shared.looks > 0 && real_time() >= next_look) {
      --shared.looks;
      lock.unlock();
      shared.rescan();
      shared.observe();
      next_look = real_time() + shared.settle;
      lock.lock();
    } else if (shared.looks > 0) {
      shared.changed.wait_until(lock, next_look);
    } else {
      shared.changed.wait(lock);
    }
  }
}

void Watching::follow(const core::HostSnapshot& host) {
  const std::lock_guard lock(shared_->mutex);
  Ports ports;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.present) continue;
    if (entry.snapshot) {
      ports[entry.name] = ports_of(*entry.snapshot);
      for (const core::HealthReporter& reporter : entry.snapshot->health)
        shared_->handles.insert(reporter.handle);
    } else if (const auto known = shared_->ports.find(entry.name); known != shared_->ports.end()) {
      ports.insert(*known);
    }
  }
  if (ports == shared_->ports) return;
  shared_->ports = std::move(ports);
  shared_->ports_changed = true;
  shared_->changed.notify_all();
}

std::optional<host::Transitions> Watching::transitions(const std::string& device,
                                                       const core::PortSnapshot& port) const {
  return watch_->transitions({device, port.number, port.netdev});
}

}  // namespace rdmadiag::daemon
