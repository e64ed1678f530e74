// The messages of etcd's v3 JSON gateway that discovery needs. Keys and values travel as base64,
// 64-bit numbers as strings. What comes from the server is hostile until checked.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/result.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

struct EtcdEntry {
  std::string key;
  std::string value;

  bool operator==(const EtcdEntry&) const = default;
};

struct EtcdRange {
  std::int64_t revision = 0;  // of the store when it was read
  std::vector<EtcdEntry> entries;
};

struct EtcdEvent {
  bool deleted = false;
  EtcdEntry entry;  // the value is empty when deleted

  bool operator==(const EtcdEvent&) const = default;
};

// One message of a watch.
struct EtcdChanges {
  std::int64_t revision = 0;
  std::vector<EtcdEvent> events;
  bool lost = false;  // the history was compacted or the watch cancelled: list anew
};

[[nodiscard]] std::string encode_lease_grant(std::chrono::seconds ttl);
[[nodiscard]] std::string encode_lease(std::int64_t lease);  // keep-alive and revoke
[[nodiscard]] std::string encode_put(const EtcdEntry& entry, std::int64_t lease);
[[nodiscard]] std::string encode_range(std::string_view prefix);
[[nodiscard]] std::string encode_watch(std::string_view prefix, std::int64_t from_revision);

// The lease's number.
[[nodiscard]] core::Result<std::int64_t> decode_lease_grant(std::string_view json);
// False when the lease is gone.
[[nodiscard]] core::Result<bool> decode_keep_alive(std::string_view json);
[[nodiscard]] core::Result<EtcdRange> decode_range(std::string_view json);
[[nodiscard]] core::Result<EtcdChanges> decode_changes(std::string_view json);

// The smallest key beyond all that begin with `prefix`; a single NUL, etcd's "to the end", when
// there is none.
[[nodiscard]] std::string prefix_end(std::string_view prefix);

// What an agent writes about itself: {"address": "host:port", "labels": {"leaf": "leaf-12"}}.
[[nodiscard]] std::string encode_registration(const Peer& peer);
// `id` is the key without the prefix.
[[nodiscard]] std::optional<Peer> decode_registration(std::string_view id, std::string_view json);

}  // namespace rdmadiag::probes
