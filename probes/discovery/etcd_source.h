// etcd: agents register themselves under a prefix, with a lease that ends when they do, and find
// each other there. The list is read once and then followed change by change: ten thousand agents
// reading the whole list again and again would be more than etcd can bear.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "probes/discovery/etcd_client.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

struct EtcdSourceOptions {
  std::vector<std::string> endpoints;
  std::string prefix = "/rdmadiag/";
  std::chrono::seconds ttl{30};
  std::optional<Peer> self = {};  // what to register; empty: only look
  HttpClientTls tls = {};
};

class EtcdSource final : public PeerSource {
 public:
  explicit EtcdSource(EtcdSourceOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override;
  void run(const StopEvent& stop, const Publish& publish) override;

 private:
  // From the first list until something fails or is lost.
  [[nodiscard]] core::Status follow(EtcdClient& etcd, const StopEvent& stop,
                                    const Publish& publish);
  [[nodiscard]] core::Status stay_registered(EtcdClient& etcd);
  [[nodiscard]] core::Status watch_once(EtcdClient& etcd, const Publish& publish);
  void apply(const EtcdEvent& event);
  [[nodiscard]] SourceReading reading() const;
  void deregister();

  EtcdSourceOptions options_;
  std::map<std::string, std::string> entries_;  // by key, prefix included
  std::int64_t revision_ = 0;                   // up to which entries_ is known
  std::int64_t lease_ = 0;
  bool lost_ = false;
};

}  // namespace rdmadiag::probes
