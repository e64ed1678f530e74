#include "agent/daemon/bursts.h"

#include <utility>

namespace rdmadiag::daemon {
namespace {

using Ports = std::map<std::string, std::vector<host::BurstPort>>;

std::vector<host::BurstPort> flatten(const Ports& by_device) {
  std::vector<host::BurstPort> all;
  for (const auto& [device, ports] : by_device) all.insert(all.end(), ports.begin(), ports.end());
  return all;
}

}  // namespace

Bursts::Bursts(host::Roots roots, host::BurstParts parts, const config::BurstSampling& config)
    : roots_(std::move(roots)), parts_(std::move(parts)), config_(config) {
  start();
}

void Bursts::start() {
  if (!config_.enabled) return;
  host::BurstParts parts = parts_;
  parts.period = std::chrono::nanoseconds(std::chrono::seconds(1)) / config_.rate;
  parts.window = config_.window;
  sampler_ = std::make_shared<host::BurstSampler>(std::move(parts));
  sampler_->set_ports(flatten(ports_));
}

void Bursts::configure(const config::BurstSampling& config) {
  std::shared_ptr<host::BurstSampler> former;  // ends after the lock
  const std::lock_guard lock(mutex_);
  if (config == config_) return;
  config_ = config;
  former = std::exchange(sampler_, nullptr);
  start();
}

void Bursts::follow(const core::HostSnapshot& host) {
  const std::lock_guard lock(mutex_);
  Ports ports;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.present) continue;
    if (entry.snapshot) {
      ports[entry.name] = host::burst_ports(roots_, *entry.snapshot);
    } else if (const auto known = ports_.find(entry.name); known != ports_.end()) {
      ports.insert(*known);
    }
  }
  if (ports == ports_) return;
  ports_ = std::move(ports);
  if (sampler_) sampler_->set_ports(flatten(ports_));
}

std::vector<core::BurstDevice> Bursts::report() const {
  std::shared_ptr<host::BurstSampler> sampler;
  {
    const std::lock_guard lock(mutex_);
    sampler = sampler_;
  }
  return sampler ? sampler->report() : std::vector<core::BurstDevice>();
}

}  // namespace rdmadiag::daemon
