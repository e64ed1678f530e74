// dns_sd: SRV, A or AAAA records, looked up again when they expire.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "probes/discovery/dns_resolver.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

struct DnsSourceOptions {
  std::vector<std::string> names;
  DnsType type = DnsType::kSrv;
  std::uint16_t port = kDefaultAgentPort;  // for A and AAAA
  std::chrono::nanoseconds refresh = std::chrono::seconds(30);
  std::string servers = {};  // of DnsResolver
};

class DnsSource final : public PeerSource {
 public:
  explicit DnsSource(DnsSourceOptions options) : options_(std::move(options)) {}

  [[nodiscard]] std::string name() const override;
  void run(const StopEvent& stop, const Publish& publish) override;

  // When to look again: at the shortest time to live, within [5 s, refresh].
  [[nodiscard]] static std::chrono::nanoseconds next_look(std::chrono::nanoseconds shortest_ttl,
                                                          std::chrono::nanoseconds refresh);

 private:
  std::chrono::nanoseconds look(DnsResolver& resolver, const Publish& publish);

  DnsSourceOptions options_;
  std::map<std::string, std::vector<Peer>> last_;  // of each name, kept while it cannot be asked
};

}  // namespace rdmadiag::probes
