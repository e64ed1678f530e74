#include "agent/cli/fabric_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent/core/enums.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

json counters_json(const core::FabricPort& port) {
  json counters = json::object();
  for (const auto& [name, value] : port.counters) counters[name] = value;
  return counters;
}

}  // namespace

std::string guid_text(std::uint64_t guid) { return fmt::format("0x{:016x}", guid); }

std::string render_fabric_json(const core::Fabric& fabric,
                               const std::vector<core::FabricFinding>& findings) {
  json nodes = json::array();
  for (const core::FabricNode& node : fabric.nodes) {
    json ports = json::array();
    for (const core::FabricPort& port : node.ports) {
      ports.push_back(
          {{"port", port.number},
           {"state", core::port_state_name(port.state)},
           {"physical_state", core::physical_state_name(port.physical_state)},
           {"lid", port.lid},
           {"width_lanes", port.active.width_lanes},
           {"lane_bits_per_second", port.active.lane_bits_per_second},
           {"neighbour_guid",
            port.neighbour_guid == 0 ? json(nullptr) : json(guid_text(port.neighbour_guid))},
           {"neighbour_port", port.neighbour_port},
           {"counters", counters_json(port)}});
    }
    nodes.push_back({{"guid", guid_text(node.guid)},
                     {"type", node.is_switch ? "switch" : "other"},
                     {"description", exporters::valid_utf8(node.description)},
                     {"ports", ports}});
  }
  json found = json::array();
  for (const core::FabricFinding& finding : findings) {
    found.push_back({{"rule", finding.rule},
                     {"severity", core::severity_name(finding.severity)},
                     {"subject", exporters::valid_utf8(finding.subject)},
                     {"found", exporters::valid_utf8(finding.found)},
                     {"expected", exporters::valid_utf8(finding.expected)}});
  }
  json missing = json::array();
  for (const std::string& what : fabric.missing) missing.push_back(exporters::valid_utf8(what));
  return json{{"schema_version", 1}, {"nodes", nodes}, {"findings", found}, {"missing", missing}}
             .dump(2) +
         "\n";
}

}  // namespace rdmadiag::cli
