// `rdmadiag gids`: the GID tables, and which GID probes would use.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/core/gid.h"
#include "exporters/text.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

json to_json(const core::DeviceSnapshot& device, const core::PortSnapshot& port) {
  json gids = json::array();
  for (const core::GidEntry& entry : port.gids) {
    gids.push_back({{"index", entry.index},
                    {"gid", core::format_gid(entry.gid)},
                    {"type", core::gid_type_name(entry.type)},
                    {"netdev", exporters::valid_utf8(entry.netdev)}});
  }
  const core::GidChoice choice = core::choose_gid(port.gids, device.protocol);
  return {{"device", exporters::valid_utf8(device.name)},
          {"port", port.number},
          {"protocol", core::protocol_name(device.protocol)},
          {"gids", std::move(gids)},
          {"used_index", choice.entry ? json(choice.entry->index) : json(nullptr)},
          {"reason", exporters::valid_utf8(choice.reason)}};
}

}  // namespace

Action define_gids(CLI::App& app) {
  auto options = std::make_shared<ObserverOptions>();
  add_agent_option(app, *options);
  return [options](Context& context) {
    const auto seen = observe_once(context, *options);
    if (!seen) return kExitUnknown;
    if (!context.options.json) {
      const std::string text = exporters::render_gids(*seen->host, context.world.style);
      context.out() << text;
      const int code = tell_devices(context, *seen->host);
      if (code == kExitFine && text.empty()) context.err() << "rdmadiag: no GID\n";
      return code;
    }
    json ports = json::array();
    for (const core::DeviceEntry& entry : seen->host->devices) {
      if (entry.snapshot == nullptr) continue;
      for (const core::PortSnapshot& port : entry.snapshot->ports) {
        ports.push_back(to_json(*entry.snapshot, port));
      }
    }
    context.out() << json{{"schema_version", 1}, {"ports", ports}}.dump(2) << "\n";
    return tell_devices(context, *seen->host);
  };
}

}  // namespace rdmadiag::cli
