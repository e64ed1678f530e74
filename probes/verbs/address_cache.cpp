#include "probes/verbs/address_cache.h"

#include <xxhash.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <utility>

#include "agent/core/gid.h"

namespace rdmadiag::probes {
namespace {

constexpr std::chrono::seconds kRetryAfter{1};
constexpr std::uint8_t kHopLimit = 64;

}  // namespace

std::size_t AddressCache::Hash::operator()(const AddressKey& key) const {
  const std::uint64_t rest =
      std::uint64_t{key.label} << 32 | std::uint64_t{key.lid} << 8 | key.traffic_class;
  return XXH3_64bits_withSeed(key.gid.data(), key.gid.size(), rest);
}

AddressCache::Entry AddressCache::make(const AddressKey& key, int gid_index,
                                       core::SteadyTime now) const {
  ibv_ah_attr attributes{};
  // With a GRH on InfiniBand too: the receiver learns the sender's GID from it.
  attributes.is_global = 1;
  attributes.port_num = port_;
  attributes.dlid = key.lid;
  std::memcpy(attributes.grh.dgid.raw, key.gid.data(), key.gid.size());
  attributes.grh.sgid_index = static_cast<std::uint8_t>(gid_index);
  attributes.grh.flow_label = key.label;
  attributes.grh.traffic_class = key.traffic_class;
  attributes.grh.hop_limit = kHopLimit;
  Entry entry{.key = key, .handle = {}, .error = {}, .failed_at = now};
  ibv_ah* handle = ibv_create_ah(domain_, &attributes);
  if (handle != nullptr) {
    entry.handle = Handle(handle, VerbsCloser<&ibv_destroy_ah>{});
    return entry;
  }
  const int error = errno;
  entry.error = {std::error_code(error, std::generic_category()),
                 "ibv_create_ah for " + core::format_gid(key.gid)};
  return entry;
}

core::Result<AddressCache::Handle> AddressCache::get(const AddressKey& key, int gid_index,
                                                     core::SteadyTime now) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    Entry& entry = *found->second;
    if (!entry.handle && now - entry.failed_at >= kRetryAfter) entry = make(key, gid_index, now);
    entries_.splice(entries_.begin(), entries_, found->second);
  } else {
    if (entries_.size() >= limit_) {
      by_key_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front(make(key, gid_index, now));
    by_key_.emplace(key, entries_.begin());
  }
  const Entry& entry = entries_.front();
  if (!entry.handle) return tl::make_unexpected(entry.error);
  return entry.handle;
}

void AddressCache::clear() {
  by_key_.clear();
  entries_.clear();
}

void AddressCache::forget(const core::Gid& gid) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (entry->key.gid == gid) {
      by_key_.erase(entry->key);
      entries_.erase(entry);
    }
    entry = next;
  }
}

}  // namespace rdmadiag::probes
