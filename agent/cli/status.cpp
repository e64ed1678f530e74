// `rdmadiag status`: one screen that says how the host's RDMA is.
#include <CLI/CLI.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "exporters/json.h"
#include "exporters/text.h"

namespace rdmadiag::cli {

Action define_status(CLI::App& app) {
  auto options = std::make_shared<ObserverOptions>();
  add_agent_option(app, *options);
  return [options](Context& context) {
    const auto seen = observe_once(context, *options);
    if (!seen) return kExitUnknown;
    if (context.options.json) {
      context.out() << exporters::render_json(*seen->host, seen->agent,
                                              exporters::JsonLayout::kIndented);
    } else {
      context.out() << exporters::render_status(*seen->host, seen->agent, context.world.style);
    }
    (void)tell_devices(context, *seen->host);
    return seen->agent.diagnosis.exit_code();
  };
}

}  // namespace rdmadiag::cli
