#include "agent/host/burst.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/host/burst_reader.h"

namespace rdmadiag::host {
namespace {

std::chrono::nanoseconds to_nanoseconds(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

}  // namespace

std::chrono::nanoseconds thread_cpu_time() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return {};
  return to_nanoseconds(usage.ru_utime) + to_nanoseconds(usage.ru_stime);
}

struct BurstLook::Kept {
  std::chrono::nanoseconds period{};
  std::chrono::nanoseconds window{};

  std::mutex mutex;  // guards what follows; never held while something is read
  std::map<std::uint32_t, core::BurstWindow> windows;
  std::uint64_t samples = 0;
  std::uint64_t dropped = 0;
  std::chrono::nanoseconds cpu{};
  std::optional<core::SteadyTime> last_look;

  // Looks that were due between the last one and `now`.
  [[nodiscard]] std::uint64_t missed(core::SteadyTime now) const {
    if (!last_look || period.count() <= 0 || now < *last_look) return 0;
    const auto due = (now - *last_look) / period;
    return due > 1 ? static_cast<std::uint64_t>(due) - 1 : 0;
  }
};

struct BurstLook::Port {
  Port(BurstPort port, const BurstParts& parts)
      : reader(std::move(port), parts.files, parts.ioctl) {}
  BurstReader reader;
};

BurstLook::BurstLook(std::vector<BurstPort> ports, const BurstParts& parts,
                     std::shared_ptr<Kept> kept)
    : parts_(parts), kept_(std::move(kept)) {
  for (BurstPort& port : ports) ports_.push_back(std::make_unique<Port>(std::move(port), parts_));
}

BurstLook::~BurstLook() = default;

std::shared_ptr<BurstLook::Kept> BurstLook::make_kept(const BurstParts& parts) {
  auto kept = std::make_shared<Kept>();
  kept->period = parts.period;
  kept->window = parts.window;
  return kept;
}

std::chrono::nanoseconds BurstLook::spend(core::CpuBudget& budget,
                                          std::chrono::nanoseconds before) const {
  const auto cost = parts_.cpu_time() - before;
  budget.spend(parts_.clock->steady(), cost);
  return cost;
}

void BurstLook::look() {
  if (!files_budget_.allows(parts_.clock->steady())) return;  // counted as missed by the next
  std::vector<core::BurstSample> samples(ports_.size());
  auto before = parts_.cpu_time();
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    samples[i].at = parts_.clock->steady();
    ports_[i]->reader.read_files(samples[i]);
  }
  auto cost = spend(files_budget_, before);
  std::vector<core::BurstSample> pauses;
  if (pauses_budget_.allows(parts_.clock->steady())) {
    before = parts_.cpu_time();
    pauses = read_pauses();
    if (!pauses.empty()) cost += spend(pauses_budget_, before);
  }
  keep(samples, pauses, cost);
}

std::vector<core::BurstSample> BurstLook::read_pauses() {
  std::vector<core::BurstSample> samples;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    if (!ports_[i]->reader.has_pauses()) continue;
    samples.resize(ports_.size());
    samples[i].at = parts_.clock->steady();
    ports_[i]->reader.read_pauses(samples[i]);
  }
  return samples;
}

void BurstLook::keep(const std::vector<core::BurstSample>& samples,
                     const std::vector<core::BurstSample>& pauses, std::chrono::nanoseconds cost) {
  const core::SteadyTime now = parts_.clock->steady();
  const std::lock_guard lock(kept_->mutex);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const BurstPort& port = ports_[i]->reader.port();
    core::BurstWindow& window = kept_->windows.try_emplace(port.port, kept_->window).first->second;
    window.add(samples[i], port.line_rate);
    if (!pauses.empty()) window.add(pauses[i], port.line_rate);
  }
  kept_->dropped += kept_->missed(now);
  kept_->last_look = now;
  kept_->cpu += cost;
  ++kept_->samples;
}

core::BurstDevice BurstLook::report(const std::string& device, Kept& kept, core::SteadyTime now) {
  core::BurstDevice report;
  report.device = device;
  const std::lock_guard lock(kept.mutex);
  report.window_seconds = std::chrono::duration<double>(kept.window).count();
  report.samples = kept.samples;
  report.dropped = kept.dropped + kept.missed(now);
  report.cpu_seconds = std::chrono::duration<double>(kept.cpu).count();
  for (const auto& [number, window] : kept.windows) {
    core::BurstStatus& status = report.ports.emplace_back();
    status.port = number;
    window.report(now, status);
  }
  return report;
}

BurstSampler::BurstSampler(BurstParts parts) : parts_(std::move(parts)) {}

BurstSampler::~BurstSampler() {
  for (auto& [name, device] : devices_) device.thread->stop();
}

void BurstSampler::set_ports(const std::vector<BurstPort>& ports) {
  std::map<std::string, std::vector<BurstPort>> by_device;
  for (const BurstPort& port : ports) by_device[port.device].push_back(port);
  const auto end = [this](std::unique_ptr<PeriodicThread> thread) {
    parts_.launch(
        [ended = std::shared_ptr<PeriodicThread>(std::move(thread))]() mutable { ended.reset(); });
  };
  const std::lock_guard lock(mutex_);
  for (auto device = devices_.begin(); device != devices_.end();) {
    if (by_device.contains(device->first)) {
      ++device;
      continue;
    }
    end(std::move(device->second.thread));
    device = devices_.erase(device);
  }
  for (auto& [name, its_ports] : by_device) {
    Device& device = devices_[name];
    if (device.thread && device.ports == its_ports) continue;
    if (!device.kept) device.kept = BurstLook::make_kept(parts_);
    if (device.thread) end(std::move(device.thread));
    device.ports = its_ports;
    auto look = std::make_shared<BurstLook>(std::move(its_ports), parts_, device.kept);
    device.thread =
        std::make_unique<PeriodicThread>(parts_.period, [look = std::move(look)] { look->look(); });
  }
}

std::vector<core::BurstDevice> BurstSampler::report() const {
  const core::SteadyTime now = parts_.clock->steady();
  std::vector<core::BurstDevice> reports;
  const std::lock_guard lock(mutex_);
  for (const auto& [name, device] : devices_)
    reports.push_back(BurstLook::report(name, *device.kept, now));
  return reports;
}

}  // namespace rdmadiag::host
