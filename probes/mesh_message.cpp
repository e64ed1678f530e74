#include "probes/mesh_message.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "probes/checked_json.h"
#include "probes/control_message.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::probes {
namespace {

using Json = nlohmann::ordered_json;

// Of the Unix epoch, with microseconds; doubles hold no more.
double seconds(core::SystemTime time) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch());
  return static_cast<double>(micros.count()) / 1e6;
}

Json optional_seconds(const std::optional<core::SystemTime>& time) {
  return time ? Json(seconds(*time)) : Json(nullptr);
}

Json optional_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json agent_json(const core::MeshAgent& agent) {
  return {{"id", agent.id},           {"address", agent.address},
          {"host", agent.host},       {"leaf", agent.leaf},
          {"rail", agent.rail},       {"pod", agent.pod},
          {"self", agent.is_self},    {"state", core::agent_state_name(agent.state)},
          {"problem", agent.problem}, {"answered_at", optional_seconds(agent.answered_at)},
          {"nics", agent.nics}};
}

Json source_json(const core::MeshSource& source) {
  return {{"name", source.name},
          {"ok", source.ok},
          {"problem", source.problem},
          {"peers", source.peers},
          {"last_success", optional_seconds(source.last_success)}};
}

Json outcomes_json(const core::ProbeSnapshot& rnic) {
  Json outcomes = Json::object();
  for (std::size_t i = 0; i < core::kProbeOutcomeCount; ++i) {
    outcomes[std::string(core::probe_outcome_name(static_cast<core::ProbeOutcome>(i)))] =
        rnic.outcomes.at(i);
  }
  return outcomes;
}

Json peer_json(const core::ProbePeer& peer) {
  return {{"peer", peer.peer},
          {"leaf", peer.leaf},
          {"scope", core::probe_scope_name(peer.scope)},
          {"resolved", peer.resolved},
          {"bad", peer.bad},
          {"sent", peer.sent},
          {"lost", peer.lost},
          {"rtt_p50_seconds", optional_number(peer.rtt_p50_seconds)},
          {"rtt_max_seconds", optional_number(peer.rtt_max_seconds)},
          {"last_ok", optional_seconds(peer.last_ok)}};
}

Json rc_json(const core::RcProbes& rc) {
  Json rebuilds = Json::object();
  for (std::size_t i = 0; i < core::kRcRebuildReasonCount; ++i) {
    rebuilds[std::string(core::rc_rebuild_reason_name(static_cast<core::RcRebuildReason>(i)))] =
        rc.rebuilds.at(i);
  }
  Json peers = Json::array();
  for (const core::RcPeer& peer : rc.peers) {
    peers.push_back({{"peer", peer.peer},
                     {"up", peer.up},
                     {"problem", peer.problem},
                     {"last_rtt_seconds", optional_number(peer.last_rtt_seconds)}});
  }
  return {{"sent", rc.sent},
          {"arrived", rc.arrived},
          {"down_seconds", rc.down_seconds},
          {"rebuilds", std::move(rebuilds)},
          {"peers", std::move(peers)}};
}

Json rnic_json(const core::ProbeSnapshot& rnic) {
  Json peers = Json::array();
  for (const core::ProbePeer& peer : rnic.peers) peers.push_back(peer_json(peer));
  Json paths = Json::array();
  for (const core::PathRecord& path : rnic.paths) {
    paths.push_back({path.peer, path.label, path.window_start, path.sent, path.lost_forward,
                     path.lost_reverse, path.lost_unknown});
  }
  return {{"device", rnic.device},
          {"port", rnic.port},
          {"nic", rnic.nic},
          {"leaf", rnic.leaf},
          {"rail", rnic.rail},
          {"pod", rnic.pod},
          {"running", rnic.running},
          {"problem", rnic.problem},
          {"rate_factor", rnic.rate_factor},
          {"ecn_marked", rnic.ecn_marked},
          {"dscp_rewritten", rnic.dscp_rewritten},
          {"hops", rnic.hops ? Json(*rnic.hops) : Json(nullptr)},
          {"outcomes", outcomes_json(rnic)},
          {"peers", std::move(peers)},
          {"path_peers", rnic.path_peers},
          {"paths", std::move(paths)},
          {"rc", rc_json(rnic.rc)}};
}

std::string text_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string encode_mesh(const core::MeshReport& report) {
  Json sources = Json::array();
  for (const core::MeshSource& source : report.sources) sources.push_back(source_json(source));
  Json agents = Json::array();
  for (const core::MeshAgent& agent : report.agents) agents.push_back(agent_json(agent));
  Json rnics = Json::array();
  for (const core::ProbeSnapshot& rnic : report.probes) rnics.push_back(rnic_json(rnic));
  return text_of({{"schema_version", kMeshSchemaVersion},
                  {"host", report.host},
                  {"taken_at", seconds(report.taken_at)},
                  {"sources", std::move(sources)},
                  {"agents", std::move(agents)},
                  {"rnics", std::move(rnics)}});
}

std::string encode_pinglist(const std::vector<PinglistRnic>& rnics) {
  Json list = Json::array();
  for (const PinglistRnic& rnic : rnics) {
    Json targets = Json::array();
    for (const PinglistTarget& target : rnic.targets) {
      targets.push_back({{"peer", target.peer},
                         {"agent", target.agent},
                         {"leaf", target.leaf},
                         {"scope", core::probe_scope_name(target.scope)},
                         {"interval_seconds", target.interval_seconds},
                         {"datagrams", target.datagrams},
                         {"connection", target.connection},
                         {"resolved", target.resolved},
                         {"reason", target.reason}});
    }
    list.push_back({{"nic", rnic.nic}, {"targets", std::move(targets)}});
  }
  return text_of({{"schema_version", kMeshSchemaVersion}, {"rnics", std::move(list)}});
}

}  // namespace rdmadiag::probes
