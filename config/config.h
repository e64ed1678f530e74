// What the configuration file says, as plain values with their defaults. One row for each key
// stands in schema.cpp; everything else (reading, writing, the list of keys) follows from it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/expectations.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::config {

using std::chrono::nanoseconds;
using Labels = std::map<std::string, std::string>;

struct DeviceFilters {
  std::vector<std::string> include = {".*"};
  std::vector<std::string> exclude;
  std::vector<std::string> link_layers = {"infiniband", "ethernet", "iwarp"};

  bool operator==(const DeviceFilters&) const = default;
};

struct BurstSampling {
  bool enabled = false;
  std::int64_t rate = 50;                         // samples a second
  nanoseconds window = std::chrono::seconds(15);  // peaks are of the last of these

  bool operator==(const BurstSampling&) const = default;
};

// Whether each source is read; kProbe is switched under `probes`.
struct SourceSwitches {
  std::array<bool, core::kSourceCount> enabled;
  SourceSwitches() { enabled.fill(true); }

  bool operator==(const SourceSwitches&) const = default;
};

struct Collection {
  nanoseconds min_interval = std::chrono::seconds(1);
  nanoseconds deadline = std::chrono::seconds(1);
  nanoseconds rescan_interval = std::chrono::seconds(30);
  bool qps = false;
  std::vector<std::string> skip_hw_counters;  // driver names
  std::vector<std::string> ethtool_extra;     // regular expressions over statistics' names
  BurstSampling burst;
  SourceSwitches sources;

  bool operator==(const Collection&) const = default;
};

struct StaticPeer {
  std::string address;
  Labels labels;

  bool operator==(const StaticPeer&) const = default;
};

struct FileDiscovery {
  std::vector<std::string> files;  // absolute; the last component may hold *
  nanoseconds refresh = std::chrono::seconds(30);

  bool operator==(const FileDiscovery&) const = default;
};

struct HttpDiscovery {
  std::string url;
  nanoseconds refresh = std::chrono::seconds(60);

  bool operator==(const HttpDiscovery&) const = default;
};

enum class DnsRecord : std::uint8_t { kSrv, kA, kAaaa };

struct DnsDiscovery {
  std::vector<std::string> names;
  DnsRecord type = DnsRecord::kSrv;
  std::int64_t port = 10915;  // for A and AAAA, which carry none
  nanoseconds refresh = std::chrono::seconds(30);

  bool operator==(const DnsDiscovery&) const = default;
};

struct EtcdDiscovery {
  std::vector<std::string> endpoints;  // empty: not used
  std::string prefix = "/rdmadiag/";
  nanoseconds ttl = std::chrono::seconds(30);

  bool operator==(const EtcdDiscovery&) const = default;
};

// Towards other agents; empty paths mean the system's authorities and no client certificate.
struct ClientTls {
  std::string ca_file;
  std::string cert_file;
  std::string key_file;

  bool operator==(const ClientTls&) const = default;
};

struct Peers {
  std::vector<StaticPeer> static_peers;
  std::vector<FileDiscovery> file_sd;
  std::vector<HttpDiscovery> http_sd;
  std::vector<DnsDiscovery> dns_sd;
  EtcdDiscovery etcd;
  ClientTls tls;

  bool operator==(const Peers&) const = default;
};

enum class PerPeerSeries : std::uint8_t { kAuto, kAlways, kNever };

struct UdProbes {
  bool enabled = true;
  double leaf_rate = 10;  // probes a second for each RNIC
  double fabric_rate = 10;
  std::int64_t labels = 8;  // flow labels for each target
  nanoseconds timeout = std::chrono::milliseconds(500);
  std::int64_t dscp = 26;
  PerPeerSeries per_peer_series = PerPeerSeries::kAuto;

  bool operator==(const UdProbes&) const = default;
};

enum class RcOperation : std::uint8_t { kSend, kWrite, kRead };

struct RcProbes {
  bool enabled = true;
  std::int64_t connections = 8;
  nanoseconds interval = std::chrono::seconds(1);
  RcOperation op = RcOperation::kSend;

  bool operator==(const RcProbes&) const = default;
};

struct Probes {
  std::string key_file;     // empty: no key
  bool insecure = false;    // probe other hosts without a key
  double cpu_share = 0.05;  // of one core that the agent may use before it probes less
  UdProbes ud;
  RcProbes rc;
  nanoseconds loopback_interval = std::chrono::seconds(10);
  nanoseconds sibling_interval = std::chrono::seconds(1);

  bool operator==(const Probes&) const = default;
};

struct Bench {
  bool enabled = false;
  std::int64_t max_seconds = 30;
  std::int64_t max_concurrent = 1;

  bool operator==(const Bench&) const = default;
};

struct Compatibility {
  bool node_exporter = false;

  bool operator==(const Compatibility&) const = default;
};

struct Config {
  Labels labels;
  Labels rails;  // by device name
  DeviceFilters devices;
  Collection collect;
  Peers peers;
  Probes probes;
  Bench bench;
  core::Expectations expect;
  Compatibility compat;

  bool operator==(const Config&) const = default;
};

}  // namespace rdmadiag::config
