#include "agent/daemon/peer_sources.h"

#include <utility>

#include "agent/daemon/rnic_options.h"
#include "probes/discovery/dns_source.h"
#include "probes/discovery/etcd_source.h"
#include "probes/discovery/file_source.h"
#include "probes/discovery/http_source.h"
#include "probes/discovery/static_source.h"

namespace rdmadiag::daemon {
namespace {

probes::SourceReading static_peers(const std::vector<config::StaticPeer>& configured) {
  probes::SourceReading reading;
  const auto note = [&](const std::string& problem) {
    if (reading.problem.empty()) reading.problem = problem;
  };
  for (const config::StaticPeer& entry : configured) {
    const auto address = probes::parse_peer_address(entry.address);
    if (!address) {
      note("bad address \"" + entry.address + "\"");
      continue;
    }
    probes::Peer peer{.id = *address, .address = *address};
    for (const auto& [name, value] : entry.labels) {
      if (!probes::set_peer_label(peer, name, value)) note("bad value of label " + name);
    }
    reading.peers.push_back(std::move(peer));
  }
  return reading;
}

probes::DnsType dns_type(config::DnsRecord record) {
  switch (record) {
    case config::DnsRecord::kA: return probes::DnsType::kA;
    case config::DnsRecord::kAaaa: return probes::DnsType::kAaaa;
    case config::DnsRecord::kSrv: break;
  }
  return probes::DnsType::kSrv;
}

}  // namespace

probes::Peer self_peer(const std::string& hostname, const OwnAddresses& addresses,
                       const config::Config& config) {
  return {.id = hostname,
          .address = addresses.advertised(),
          .leaf = host_label(config, "leaf"),
          .rail = host_label(config, "rail"),
          .pod = host_label(config, "pod")};
}

probes::HttpClientTls client_tls(const config::ClientTls& tls) {
  return {.ca_file = tls.ca_file, .cert_file = tls.cert_file, .key_file = tls.key_file};
}

std::vector<std::unique_ptr<probes::PeerSource>> make_peer_sources(const config::Peers& peers,
                                                                   const probes::Peer& self) {
  std::vector<std::unique_ptr<probes::PeerSource>> sources;
  if (!peers.static_peers.empty())
    sources.push_back(std::make_unique<probes::StaticSource>(static_peers(peers.static_peers)));
  for (const config::FileDiscovery& file : peers.file_sd)
    sources.push_back(std::make_unique<probes::FileSource>(file.files, file.refresh));
  const probes::HttpClientTls tls = client_tls(peers.tls);
  for (const config::HttpDiscovery& http : peers.http_sd)
    sources.push_back(std::make_unique<probes::HttpSource>(http.url, http.refresh, tls));
  for (const config::DnsDiscovery& dns : peers.dns_sd) {
    probes::DnsSourceOptions options{.names = dns.names,
                                     .type = dns_type(dns.type),
                                     .port = static_cast<std::uint16_t>(dns.port),
                                     .refresh = dns.refresh};
    sources.push_back(std::make_unique<probes::DnsSource>(std::move(options)));
  }
  if (!peers.etcd.endpoints.empty()) {
    probes::EtcdSourceOptions options{
        .endpoints = peers.etcd.endpoints,
        .prefix = peers.etcd.prefix,
        .ttl = std::chrono::duration_cast<std::chrono::seconds>(peers.etcd.ttl),
        .self = self,
        .tls = tls};
    sources.push_back(std::make_unique<probes::EtcdSource>(std::move(options)));
  }
  return sources;
}

}  // namespace rdmadiag::daemon
