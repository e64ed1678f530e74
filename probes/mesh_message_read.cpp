// The reading half of mesh_message.h.
#include <array>
#include <limits>
#include <utility>

#include "probes/checked_json.h"
#include "probes/control_message.h"
#include "probes/discovery/peer.h"
#include "probes/mesh_message.h"

namespace rdmadiag::probes {
namespace {

constexpr std::size_t kMaxTargets = 1024;  // of one RNIC; the pinglist asks for some 60
constexpr std::size_t kMaxPaths = 65'536;
constexpr std::size_t kMaxSources = 256;
constexpr std::size_t kNicBytes = 3 * kMaxNameBytes;  // "host/device/port"
constexpr std::size_t kProblemBytes = 1024;
constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint64_t>::max();
constexpr double kMaxUnixSeconds = 4e9;  // fits into nanoseconds
constexpr double kMaxRttSeconds = 1e3;

constexpr std::array<const char*, core::kAgentStateCount> kStates = {"unknown", "answers",
                                                                     "refused", "unreachable"};

core::SystemTime time_of(double unix_seconds) {
  return core::SystemTime(std::chrono::duration_cast<core::SystemTime::duration>(
      std::chrono::microseconds(static_cast<std::int64_t>(unix_seconds * 1e6))));
}

std::optional<core::SystemTime> read_time(CheckedObject& from, const char* field) {
  const auto value = from.real(field, 0, kMaxUnixSeconds);
  if (!value) return std::nullopt;
  return time_of(*value);
}

core::ProbeScope read_scope(CheckedObject& from) {
  // An unknown word of a newer agent is no reason to throw its whole answer away.
  return core::parse_probe_scope(from.name("scope")).value_or(core::ProbeScope::kManual);
}

core::MeshAgent read_agent(CheckedObject& from) {
  core::MeshAgent agent;
  agent.id = from.text("id", kNicBytes, CheckedObject::Empty::kRefused);
  agent.address = from.text("address", kNicBytes);
  if (!agent.address.empty() && !parse_peer_address(agent.address)) agent.address.clear();
  agent.host = from.name("host");
  agent.leaf = from.name("leaf");
  agent.rail = from.name("rail");
  agent.pod = from.name("pod");
  agent.is_self = from.flag("self");
  agent.state = static_cast<core::AgentState>(from.word("state", kStates));
  agent.problem = from.text("problem", kProblemBytes);
  agent.answered_at = read_time(from, "answered_at");
  agent.nics = from.texts("nics", kMaxRnics, kNicBytes);
  return agent;
}

core::MeshSource read_source(CheckedObject& from) {
  core::MeshSource source;
  source.name = from.text("name", kProblemBytes);
  source.ok = from.flag("ok");
  source.problem = from.text("problem", kProblemBytes);
  source.peers = from.number64("peers", kMaxCount);
  source.last_success = read_time(from, "last_success");
  return source;
}

core::ProbePeer read_peer(CheckedObject& from) {
  core::ProbePeer peer;
  peer.peer = from.text("peer", kNicBytes, CheckedObject::Empty::kRefused);
  peer.leaf = from.name("leaf");
  peer.scope = read_scope(from);
  peer.resolved = from.flag("resolved");
  peer.bad = from.flag("bad");
  peer.sent = from.number64("sent", kMaxCount);
  peer.lost = from.number64("lost", kMaxCount);
  peer.rtt_p50_seconds = from.real("rtt_p50_seconds", 0, kMaxRttSeconds);
  peer.rtt_max_seconds = from.real("rtt_max_seconds", 0, kMaxRttSeconds);
  peer.last_ok = read_time(from, "last_ok");
  return peer;
}

core::RcPeer read_rc_peer(CheckedObject& from) {
  core::RcPeer peer;
  peer.peer = from.text("peer", kNicBytes, CheckedObject::Empty::kRefused);
  peer.up = from.flag("up");
  peer.problem = from.text("problem", kProblemBytes);
  peer.last_rtt_seconds = from.real("last_rtt_seconds", 0, kMaxRttSeconds);
  return peer;
}

void read_rc(CheckedObject& from, core::RcProbes& rc) {
  rc.sent = from.number64("sent", kMaxCount);
  rc.arrived = from.number64("arrived", kMaxCount);
  rc.down_seconds = from.real("down_seconds", 0, 1e18).value_or(0);
  from.within("rebuilds", [&](CheckedObject& rebuilds) {
    for (std::size_t i = 0; i < core::kRcRebuildReasonCount; ++i) {
      const auto reason = static_cast<core::RcRebuildReason>(i);
      rc.rebuilds.at(i) =
          rebuilds.number64(std::string(core::rc_rebuild_reason_name(reason)).c_str(), kMaxCount);
    }
  });
  from.each("peers", kMaxTargets,
            [&](CheckedObject& peer) { rc.peers.push_back(read_rc_peer(peer)); });
}

void read_paths(CheckedObject& from, core::ProbeSnapshot& rnic) {
  rnic.path_peers = from.texts("path_peers", kMaxTargets, kNicBytes);
  constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  from.rows("paths", kMaxPaths, 7, [&](std::span<const std::uint64_t> row) {
    bool fits =
        row[0] < rnic.path_peers.size() && row[2] <= static_cast<std::uint64_t>(kMaxUnixSeconds);
    for (const std::size_t column : {1U, 3U, 4U, 5U, 6U}) fits = fits && row[column] <= kMax32;
    // What was lost was sent, or sums go below zero.
    fits = fits && row[4] + row[5] + row[6] <= row[3];
    if (!fits) return from.fail("paths holds a row that makes no sense");
    rnic.paths.push_back({.peer = static_cast<std::uint32_t>(row[0]),
                          .label = static_cast<std::uint32_t>(row[1]),
                          .window_start = static_cast<std::int64_t>(row[2]),
                          .sent = static_cast<std::uint32_t>(row[3]),
                          .lost_forward = static_cast<std::uint32_t>(row[4]),
                          .lost_reverse = static_cast<std::uint32_t>(row[5]),
                          .lost_unknown = static_cast<std::uint32_t>(row[6])});
  });
}

core::ProbeSnapshot read_rnic(CheckedObject& from) {
  core::ProbeSnapshot rnic;
  rnic.device = from.name("device", CheckedObject::Empty::kRefused);
  rnic.port = from.number("port", 255);
  rnic.nic = from.text("nic", kNicBytes, CheckedObject::Empty::kRefused);
  rnic.leaf = from.name("leaf");
  rnic.rail = from.name("rail");
  rnic.pod = from.name("pod");
  rnic.running = from.flag("running");
  rnic.problem = from.text("problem", kProblemBytes);
  rnic.rate_factor = from.real("rate_factor", 0, 1).value_or(1);
  rnic.ecn_marked = from.number64("ecn_marked", kMaxCount);
  rnic.dscp_rewritten = from.number64("dscp_rewritten", kMaxCount);
  if (const auto hops = from.real("hops", 0, 255)) rnic.hops = static_cast<int>(*hops);
  from.within("outcomes", [&](CheckedObject& outcomes) {
    for (std::size_t i = 0; i < core::kProbeOutcomeCount; ++i) {
      const auto outcome = static_cast<core::ProbeOutcome>(i);
      rnic.outcomes.at(i) =
          outcomes.number64(std::string(core::probe_outcome_name(outcome)).c_str(), kMaxCount);
    }
  });
  from.each("peers", kMaxTargets,
            [&](CheckedObject& peer) { rnic.peers.push_back(read_peer(peer)); });
  read_paths(from, rnic);
  from.within("rc", [&](CheckedObject& rc) { read_rc(rc, rnic.rc); });
  return rnic;
}

PinglistTarget read_target(CheckedObject& from) {
  PinglistTarget target;
  target.peer = from.text("peer", kNicBytes, CheckedObject::Empty::kRefused);
  target.agent = from.text("agent", kNicBytes);
  target.leaf = from.name("leaf");
  target.scope = read_scope(from);
  target.interval_seconds = from.real("interval_seconds", 0, 1e9).value_or(0);
  target.datagrams = from.flag("datagrams");
  target.connection = from.flag("connection");
  target.resolved = from.flag("resolved");
  target.reason = from.text("reason", kProblemBytes);
  return target;
}

}  // namespace

core::Result<core::MeshReport> decode_mesh(std::string_view json) {
  return read_document("probes", json, kMaxMeshBytes, [](CheckedObject& root) {
    core::MeshReport report;
    report.host = root.name("host", CheckedObject::Empty::kRefused);
    report.taken_at = read_time(root, "taken_at").value_or(core::SystemTime{});
    root.each("sources", kMaxSources,
              [&](CheckedObject& source) { report.sources.push_back(read_source(source)); });
    root.each("agents", kMaxPeers + 1,
              [&](CheckedObject& agent) { report.agents.push_back(read_agent(agent)); });
    root.each("rnics", kMaxRnics,
              [&](CheckedObject& rnic) { report.probes.push_back(read_rnic(rnic)); });
    return report;
  });
}

core::Result<std::vector<PinglistRnic>> decode_pinglist(std::string_view json) {
  return read_document("pinglist", json, kMaxMeshBytes, [](CheckedObject& root) {
    std::vector<PinglistRnic> rnics;
    root.each("rnics", kMaxRnics, [&](CheckedObject& from) {
      PinglistRnic rnic;
      rnic.nic = from.text("nic", kNicBytes, CheckedObject::Empty::kRefused);
      from.each("targets", kMaxTargets,
                [&](CheckedObject& target) { rnic.targets.push_back(read_target(target)); });
      rnics.push_back(std::move(rnic));
    });
    return rnics;
  });
}

}  // namespace rdmadiag::probes
