// etcd over its JSON gateway, at whichever of its endpoints answers. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/core/result.h"
#include "probes/discovery/etcd_codec.h"
#include "probes/http_client.h"

namespace rdmadiag::probes {

class EtcdClient {
 public:
  // `endpoints` are base URLs, at least one. `stop` outlives the client.
  EtcdClient(std::vector<std::string> endpoints, HttpClientTls tls, const StopEvent& stop);

  [[nodiscard]] core::Result<std::int64_t> grant_lease(std::chrono::seconds ttl);
  [[nodiscard]] core::Result<bool> keep_alive(std::int64_t lease);
  [[nodiscard]] core::Status revoke_lease(std::int64_t lease);
  [[nodiscard]] core::Status put(const EtcdEntry& entry, std::int64_t lease);
  [[nodiscard]] core::Result<EtcdRange> list(std::string_view prefix);
  // Changes from a revision on, for `time` or until `take` says false.
  using Take = std::function<bool(EtcdChanges)>;
  [[nodiscard]] core::Status watch(std::string_view prefix, std::int64_t from_revision,
                                   std::chrono::milliseconds time, const Take& take);

 private:
  [[nodiscard]] core::Result<std::string> post(const std::string& path, const std::string& json);

  std::vector<std::string> endpoints_;
  std::size_t current_ = 0;
  HttpClient http_;
};

}  // namespace rdmadiag::probes
