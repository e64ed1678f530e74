#include "probes/discovery/dns_source.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rdmadiag::probes {
namespace {

constexpr std::chrono::seconds kLookAtMostEvery{5};
constexpr std::chrono::milliseconds kTimeout{2'000};

std::string_view type_name(DnsType type) {
  switch (type) {
    case DnsType::kA: return "A";
    case DnsType::kAaaa: return "AAAA";
    case DnsType::kSrv: return "SRV";
  }
  return "?";
}

std::vector<Peer> peers_of(const DnsAnswer& answer, const DnsSourceOptions& options,
                           std::string& problem) {
  std::vector<Peer> peers;
  for (const DnsAnswer::Address& found : answer.addresses) {
    const std::uint16_t port = options.type == DnsType::kSrv ? found.port : options.port;
    const auto address = parse_peer_address(found.host + ":" + std::to_string(port));
    if (!address) {
      problem = "bad address in DNS: \"" + found.host.substr(0, 64) + "\"";
    } else {
      peers.push_back({.id = *address, .address = *address});
    }
  }
  return peers;
}

}  // namespace

std::string DnsSource::name() const {
  std::string name = "dns_sd " + std::string(type_name(options_.type));
  for (const std::string& one : options_.names) name += ' ' + one;
  return name;
}

std::chrono::nanoseconds DnsSource::next_look(std::chrono::nanoseconds shortest_ttl,
                                              std::chrono::nanoseconds refresh) {
  return std::min(std::max<std::chrono::nanoseconds>(shortest_ttl, kLookAtMostEvery), refresh);
}

void DnsSource::run(const StopEvent& stop, const Publish& publish) {
  DnsResolver resolver(options_.servers, kTimeout, stop);
  while (!stop.wait(look(resolver, publish))) {
  }
}

std::chrono::nanoseconds DnsSource::look(DnsResolver& resolver, const Publish& publish) {
  SourceReading all;
  std::chrono::nanoseconds shortest = options_.refresh;
  std::size_t failed = 0;
  for (const std::string& name : options_.names) {
    auto answer = resolver.resolve(name, options_.type);
    if (answer) {
      last_[name] = peers_of(*answer, options_, all.problem);
      if (answer->ttl) shortest = std::min<std::chrono::nanoseconds>(shortest, *answer->ttl);
    } else {
      ++failed;
      all.problem = answer.error().message();
    }
    const std::vector<Peer>& peers = last_[name];
    std::copy(peers.begin(), peers.end(), std::back_inserter(all.peers));
  }
  if (failed == options_.names.size()) {
    publish(core::fail(all.problem));
  } else {
    publish(std::move(all));
  }
  return next_look(shortest, options_.refresh);
}

}  // namespace rdmadiag::probes
