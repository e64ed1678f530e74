// Address handles by destination, label and traffic class. Making one is a kernel command on some
// devices and may wait for a neighbour to be resolved; so each is kept, and a destination that
// failed is not tried again at once. Bounded; the least recently used ones go first. One thread.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "agent/core/snapshot.h"
#include "probes/ud_transport.h"
#include "probes/verbs/handles.h"

namespace rdmadiag::probes {

struct AddressKey {
  core::Gid gid{};
  std::uint16_t lid = 0;
  std::uint32_t label = 0;
  std::uint8_t traffic_class = 0;

  friend bool operator==(const AddressKey&, const AddressKey&) = default;
};

class AddressCache {
 public:
  // Shared with the sends on their way: a handle must outlive them.
  using Handle = std::shared_ptr<ibv_ah>;

  AddressCache(ibv_pd* domain, std::uint8_t port, std::size_t limit)
      : domain_(domain), port_(port), limit_(limit) {}

  [[nodiscard]] core::Result<Handle> get(const AddressKey& key, int gid_index,
                                         core::SteadyTime now);
  // After a GID change, or for one peer whose next hop may have moved.
  void clear();
  void forget(const core::Gid& gid);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    AddressKey key;
    Handle handle;  // null after a failure
    core::Error error;
    core::SteadyTime failed_at{};
  };
  struct Hash {
    [[nodiscard]] std::size_t operator()(const AddressKey& key) const;
  };
  using Entries = std::list<Entry>;  // most recently used first

  [[nodiscard]] Entry make(const AddressKey& key, int gid_index, core::SteadyTime now) const;

  ibv_pd* domain_;
  std::uint8_t port_;
  std::size_t limit_;
  Entries entries_;
  std::unordered_map<AddressKey, Entries::iterator, Hash> by_key_;
};

}  // namespace rdmadiag::probes
