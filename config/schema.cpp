#include "config/schema.h"

namespace rdmadiag::config {
namespace {

using namespace std::chrono_literals;

template <class T>
void section(ConfigVisitor& visitor, std::string_view key, T& value,
             void (*visit)(ConfigVisitor&, T&)) {
  visitor.begin_section(key);
  visit(visitor, value);
  visitor.end_section();
}

template <class T>
void list(ConfigVisitor& visitor, std::string_view key, std::vector<T>& items,
          void (*visit)(ConfigVisitor&, T&)) {
  items.resize(visitor.begin_list(key, items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    visitor.begin_item(i);
    visit(visitor, items[i]);
    visitor.end_item();
  }
  visitor.end_list();
}

template <class Enum, std::size_t N>
void word(ConfigVisitor& visitor, std::string_view key, Enum& value,
          const std::array<std::string_view, N>& words) {
  auto index = static_cast<std::size_t>(value);
  visitor.word(key, index, words);
  value = static_cast<Enum>(index);
}

void visit_devices(ConfigVisitor& visitor, DeviceFilters& devices) {
  visitor.texts("include", devices.include, TextKind::kRegex);
  visitor.texts("exclude", devices.exclude, TextKind::kRegex);
  visitor.texts("link_layers", devices.link_layers, TextKind::kLinkLayer);
}

void visit_burst(ConfigVisitor& visitor, BurstSampling& burst) {
  visitor.boolean("enabled", burst.enabled);
  visitor.integer("rate", burst.rate, 10, 100);
  visitor.duration("window", burst.window, 1s, 10min);
}

void visit_sources(ConfigVisitor& visitor, SourceSwitches& sources) {
  for (std::size_t i = 0; i < core::kSourceCount; ++i) {
    const auto source = static_cast<core::Source>(i);
    if (source != core::Source::kProbe)
      visitor.boolean(core::source_name(source), sources.enabled[i]);
  }
}

void visit_collect(ConfigVisitor& visitor, Collection& collect) {
  visitor.duration("min_interval", collect.min_interval, 10ms, 1min);
  // A handler may wait that long, and the server for its handlers when it stops.
  visitor.duration("deadline", collect.deadline, 10ms, 10s);
  visitor.duration("rescan_interval", collect.rescan_interval, 1s, 1h);
  visitor.boolean("qps", collect.qps);
  visitor.texts("skip_hw_counters", collect.skip_hw_counters, TextKind::kPlain);
  visitor.texts("ethtool_extra", collect.ethtool_extra, TextKind::kRegex);
  section(visitor, "burst", collect.burst, visit_burst);
  section(visitor, "sources", collect.sources, visit_sources);
}

void visit_static_peer(ConfigVisitor& visitor, StaticPeer& peer) {
  visitor.text("address", peer.address, TextKind::kAddress);
  visitor.text_map("labels", peer.labels, MapKind::kLabels);
}

void visit_file_sd(ConfigVisitor& visitor, FileDiscovery& discovery) {
  visitor.texts("files", discovery.files, TextKind::kFilePattern);
  visitor.duration("refresh", discovery.refresh, 1s, 24h);
}

void visit_http_sd(ConfigVisitor& visitor, HttpDiscovery& discovery) {
  visitor.text("url", discovery.url, TextKind::kUrl);
  visitor.duration("refresh", discovery.refresh, 1s, 24h);
}

void visit_dns_sd(ConfigVisitor& visitor, DnsDiscovery& discovery) {
  visitor.texts("names", discovery.names, TextKind::kPlain);
  word(visitor, "type", discovery.type, std::array<std::string_view, 3>{"SRV", "A", "AAAA"});
  visitor.integer("port", discovery.port, 1, 65535);
  visitor.duration("refresh", discovery.refresh, 1s, 24h);
}

void visit_etcd(ConfigVisitor& visitor, EtcdDiscovery& etcd) {
  visitor.texts("endpoints", etcd.endpoints, TextKind::kUrl);
  visitor.text("prefix", etcd.prefix, TextKind::kPlain);
  visitor.duration("ttl", etcd.ttl, 5s, 1h);
}

void visit_client_tls(ConfigVisitor& visitor, ClientTls& tls) {
  visitor.text("ca_file", tls.ca_file, TextKind::kFile);
  visitor.text("cert_file", tls.cert_file, TextKind::kFile);
  visitor.text("key_file", tls.key_file, TextKind::kSecretFile);
}

void visit_peers(ConfigVisitor& visitor, Peers& peers) {
  list(visitor, "static", peers.static_peers, visit_static_peer);
  list(visitor, "file_sd", peers.file_sd, visit_file_sd);
  list(visitor, "http_sd", peers.http_sd, visit_http_sd);
  list(visitor, "dns_sd", peers.dns_sd, visit_dns_sd);
  section(visitor, "etcd", peers.etcd, visit_etcd);
  section(visitor, "tls", peers.tls, visit_client_tls);
}

void visit_ud(ConfigVisitor& visitor, UdProbes& ud) {
  // The ceilings are the protocol's: a file can only lower them.
  visitor.boolean("enabled", ud.enabled);
  visitor.number("leaf_rate", ud.leaf_rate, 0, 200);
  visitor.number("fabric_rate", ud.fabric_rate, 0, 200);
  visitor.integer("labels", ud.labels, 1, 64);
  visitor.duration("timeout", ud.timeout, 10ms, 4s);
  visitor.integer("dscp", ud.dscp, 0, 63);
  word(visitor, "per_peer_series", ud.per_peer_series,
       std::array<std::string_view, 3>{"auto", "always", "never"});
}

void visit_rc(ConfigVisitor& visitor, RcProbes& rc) {
  visitor.boolean("enabled", rc.enabled);
  visitor.integer("connections", rc.connections, 1, 8);
  visitor.duration("interval", rc.interval, 100ms, 1h);
  word(visitor, "op", rc.op, std::array<std::string_view, 3>{"send", "write", "read"});
}

void visit_interval(ConfigVisitor& visitor, nanoseconds& interval) {
  visitor.duration("interval", interval, 100ms, 1h);
}

void visit_probes(ConfigVisitor& visitor, Probes& probes) {
  visitor.text("key_file", probes.key_file, TextKind::kSecretFile);
  visitor.boolean("insecure", probes.insecure);
  visitor.number("cpu_share", probes.cpu_share, 0.001, 1);
  section(visitor, "ud", probes.ud, visit_ud);
  section(visitor, "rc", probes.rc, visit_rc);
  section(visitor, "loopback", probes.loopback_interval, visit_interval);
  section(visitor, "siblings", probes.sibling_interval, visit_interval);
}

void visit_bench(ConfigVisitor& visitor, Bench& bench) {
  visitor.boolean("enabled", bench.enabled);
  visitor.integer("max_seconds", bench.max_seconds, 1, 3600);
  visitor.integer("max_concurrent", bench.max_concurrent, 1, 16);
}

void visit_expected_layer(ConfigVisitor& visitor, std::optional<core::LinkLayer>& layer) {
  constexpr std::array<std::string_view, 3> kWords = {"", "infiniband", "ethernet"};
  std::size_t index = 0;
  if (layer == core::LinkLayer::kInfiniband) index = 1;
  if (layer == core::LinkLayer::kEthernet) index = 2;
  visitor.word("link_layer", index, kWords);
  layer.reset();
  if (index == 1) layer = core::LinkLayer::kInfiniband;
  if (index == 2) layer = core::LinkLayer::kEthernet;
}

void visit_expect(ConfigVisitor& visitor, core::Expectations& expect) {
  std::optional<std::int64_t> devices = expect.devices;
  visitor.optional_integer("devices", devices, 0, 1024);
  if (devices) expect.devices = static_cast<int>(*devices);
  visitor.optional_rate("rate", expect.rate_bits_per_second);
  visit_expected_layer(visitor, expect.link_layer);
  visitor.text("firmware", expect.firmware, TextKind::kPlain);
}

void visit_compat(ConfigVisitor& visitor, Compatibility& compat) {
  visitor.boolean("node_exporter", compat.node_exporter);
}

}  // namespace

void visit_config(ConfigVisitor& visitor, Config& config) {
  visitor.text_map("labels", config.labels, MapKind::kLabels);
  visitor.text_map("rails", config.rails, MapKind::kRails);
  section(visitor, "devices", config.devices, visit_devices);
  section(visitor, "collect", config.collect, visit_collect);
  section(visitor, "peers", config.peers, visit_peers);
  section(visitor, "probes", config.probes, visit_probes);
  section(visitor, "bench", config.bench, visit_bench);
  section(visitor, "expect", config.expect, visit_expect);
  section(visitor, "compat", config.compat, visit_compat);
}

}  // namespace rdmadiag::config
