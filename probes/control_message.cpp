#include "probes/control_message.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/core/gid.h"
#include "probes/checked_json.h"

namespace rdmadiag::probes {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kMaxQpn = 0xffffff;
constexpr std::uint32_t kMaxPort = 255;
constexpr std::uint32_t kMaxLid = 0xffff;
constexpr std::uint32_t kMaxMtu = 4096;

Json rnic_json(const RnicEndpoint& rnic) {
  return {{"device", rnic.device},
          {"port", rnic.port},
          {"protocol", core::protocol_name(rnic.protocol)},
          {"leaf", rnic.leaf},
          {"rail", rnic.rail},
          {"pod", rnic.pod},
          {"gid", core::format_gid(rnic.gid)},
          {"lid", rnic.lid},
          {"qpn", rnic.qpn},
          {"qkey", rnic.qkey},
          {"mtu", rnic.mtu_bytes},
          {"problem", rnic.problem}};
}

RnicEndpoint read_rnic(CheckedObject& from) {
  RnicEndpoint rnic;
  rnic.device = from.name("device", CheckedObject::Empty::kRefused);
  rnic.port = from.number("port", kMaxPort);
  rnic.protocol = core::parse_protocol(from.name("protocol"));
  rnic.leaf = from.name("leaf");
  rnic.rail = from.name("rail");
  rnic.pod = from.name("pod");
  rnic.gid = from.gid("gid");
  rnic.lid = static_cast<std::uint16_t>(from.number("lid", kMaxLid));
  rnic.qpn = from.number("qpn", kMaxQpn);
  rnic.qkey = from.number("qkey", std::numeric_limits<std::uint32_t>::max());
  rnic.mtu_bytes = static_cast<int>(from.number("mtu", kMaxMtu));
  rnic.problem = from.text("problem", 4 * kMaxNameBytes);
  return rnic;
}

constexpr std::array<const char*, 3> kOperations = {"send", "write", "read"};
constexpr std::array<const char*, 2> kServices = {"reliable", "unreliable"};

Json parameters_json(const RcParameters& rc) {
  return {{"gid", core::format_gid(rc.gid)},
          {"lid", rc.lid},
          {"qpn", rc.qpn},
          {"psn", rc.psn},
          {"mtu", rc.mtu_bytes},
          {"epoch", rc.epoch},
          {"operation", kOperations.at(static_cast<std::size_t>(rc.operation))},
          {"service", kServices.at(static_cast<std::size_t>(rc.service))},
          {"memory_address", rc.memory_address},
          {"memory_key", rc.memory_key},
          {"cm_port", rc.cm_port},
          {"cm_token", rc.cm_token}};
}

RcParameters read_parameters(CheckedObject& from) {
  constexpr std::uint32_t kMax32 = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();
  RcParameters rc;
  rc.gid = from.gid("gid");
  rc.lid = static_cast<std::uint16_t>(from.number("lid", kMaxLid));
  rc.qpn = from.number("qpn", kMaxQpn);
  rc.psn = from.number("psn", kMaxQpn);
  rc.mtu_bytes = static_cast<int>(from.number("mtu", kMaxMtu));
  rc.epoch = from.number("epoch", kMax32);
  rc.operation = static_cast<RcOperation>(from.word("operation", kOperations));
  rc.service = static_cast<RcService>(from.word("service", kServices));
  rc.memory_address = from.number64("memory_address", kMax64);
  rc.memory_key = from.number("memory_key", kMax32);
  rc.cm_port = static_cast<std::uint16_t>(from.number("cm_port", 0xffff));
  rc.cm_token = from.number64("cm_token", kMax64);
  return rc;
}

std::string text_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string encode_rc_offer(const RcOffer& offer) {
  Json document = {{"from", offer.from}, {"device", offer.device}, {"port", offer.port}};
  document.update(parameters_json(offer.parameters));
  return text_of(document);
}

core::Result<RcOffer> decode_rc_offer(std::string_view json) {
  return read_document("rc", json, kMaxControlBytes, [](CheckedObject& root) {
    RcOffer offer;
    offer.from = root.text("from", 3 * kMaxNameBytes, CheckedObject::Empty::kRefused);
    offer.device = root.name("device", CheckedObject::Empty::kRefused);
    offer.port = root.number("port", kMaxPort);
    offer.parameters = read_parameters(root);
    return offer;
  });
}

std::string encode_rc_parameters(const RcParameters& parameters) {
  return text_of(parameters_json(parameters));
}

core::Result<RcParameters> decode_rc_parameters(std::string_view json) {
  return read_document("rc", json, kMaxControlBytes, read_parameters);
}

std::string encode_endpoints(const AgentEndpoints& agent) {
  Json rnics = Json::array();
  for (const RnicEndpoint& rnic : agent.rnics) rnics.push_back(rnic_json(rnic));
  const Json document = {{"host", agent.host}, {"epoch", agent.epoch}, {"rnics", rnics}};
  return text_of(document);
}

core::Result<AgentEndpoints> decode_endpoints(std::string_view json) {
  return read_document("endpoints", json, kMaxControlBytes, [](CheckedObject& root) {
    AgentEndpoints agent;
    agent.host = root.name("host", CheckedObject::Empty::kRefused);
    agent.epoch = root.number("epoch", std::numeric_limits<std::uint32_t>::max());
    root.each("rnics", kMaxRnics,
              [&](CheckedObject& rnic) { agent.rnics.push_back(read_rnic(rnic)); });
    return agent;
  });
}

}  // namespace rdmadiag::probes
