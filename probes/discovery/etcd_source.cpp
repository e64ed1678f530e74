#include "probes/discovery/etcd_source.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

namespace rdmadiag::probes {
namespace {

constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{30};

// Doubles from failure to failure, give or take a fifth, so that a cluster does not come back in
// step.
std::chrono::nanoseconds pause_after(unsigned failures) {
  const auto doubled = kFirstPause * (1U << std::min(failures, 5U));
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::min<std::chrono::seconds>(doubled, kLongestPause));
  return whole * (80 + randombytes_uniform(41)) / 100;
}

}  // namespace

std::string EtcdSource::name() const { return "etcd " + options_.prefix; }

void EtcdSource::run(const StopEvent& stop, const Publish& publish) {
  EtcdClient etcd(options_.endpoints, options_.tls, stop);
  unsigned failures = 0;
  while (!stop.is_set()) {
    revision_ = 0;
    const auto followed = follow(etcd, stop, publish);
    if (stop.is_set()) break;
    failures = revision_ > 0 ? 0 : failures + 1;
    if (!followed) publish(tl::make_unexpected(followed.error()));
    stop.wait(pause_after(failures));
  }
  deregister();
}

core::Status EtcdSource::follow(EtcdClient& etcd, const StopEvent& stop, const Publish& publish) {
  if (auto ok = stay_registered(etcd); !ok) return ok;
  auto list = etcd.list(options_.prefix);
  if (!list) return tl::make_unexpected(std::move(list.error()));
  entries_.clear();
  for (EtcdEntry& entry : list->entries) entries_[std::move(entry.key)] = std::move(entry.value);
  revision_ = list->revision;
  lost_ = false;
  publish(reading());
  while (!stop.is_set() && !lost_) {
    if (auto ok = watch_once(etcd, publish); !ok) return ok;
    if (auto ok = stay_registered(etcd); !ok) return ok;
  }
  return {};
}

core::Status EtcdSource::stay_registered(EtcdClient& etcd) {
  if (!options_.self) return {};
  if (lease_ != 0) {
    const auto alive = etcd.keep_alive(lease_);
    if (!alive) return tl::make_unexpected(alive.error());
    if (*alive) return {};
  }
  const auto lease = etcd.grant_lease(options_.ttl);
  if (!lease) return tl::make_unexpected(lease.error());
  lease_ = *lease;
  return etcd.put({options_.prefix + options_.self->id, encode_registration(*options_.self)},
                  lease_);
}

// No longer than the lease can wait; then the watch is taken up again where it ended.
core::Status EtcdSource::watch_once(EtcdClient& etcd, const Publish& publish) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(options_.ttl) / 3;
  return etcd.watch(options_.prefix, revision_ + 1, time, [&](const EtcdChanges& changes) {
    for (const EtcdEvent& event : changes.events) apply(event);
    revision_ = std::max(revision_, changes.revision);
    lost_ = changes.lost;
    if (!changes.events.empty()) publish(reading());
    return !lost_;
  });
}

void EtcdSource::apply(const EtcdEvent& event) {
  if (event.deleted) {
    entries_.erase(event.entry.key);
  } else if (entries_.size() < kMaxPeers || entries_.contains(event.entry.key)) {
    entries_[event.entry.key] = event.entry.value;
  }
}

SourceReading EtcdSource::reading() const {
  SourceReading all;
  for (const auto& [key, value] : entries_) {
    const std::string_view id =
        std::string_view(key).substr(std::min(options_.prefix.size(), key.size()));
    auto peer = decode_registration(id, value);
    if (peer && key.starts_with(options_.prefix)) {
      all.peers.push_back(std::move(*peer));
    } else if (all.problem.empty()) {
      all.problem = "bad registration under " + key.substr(0, 128);
    }
  }
  return all;
}

// So that the others need not wait for the lease to end. The stop is set by now, which would end
// any call at once: this one has its own, and little time.
void EtcdSource::deregister() {
  if (lease_ == 0) return;
  const StopEvent never;
  EtcdClient etcd({options_.endpoints.front()}, options_.tls, never);
  (void)etcd.revoke_lease(lease_);
  lease_ = 0;
}

}  // namespace rdmadiag::probes
