// `rdmadiag devices`: what each device is.
#include <CLI/CLI.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "exporters/json.h"
#include "exporters/text.h"

namespace rdmadiag::cli {

Action define_devices(CLI::App& app) {
  struct Options {
    ObserverOptions observer;
    bool verbose = false;
  };
  auto options = std::make_shared<Options>();
  app.add_flag("-v,--verbose", options->verbose, "Everything that is known of each device");
  add_agent_option(app, options->observer);
  return [options](Context& context) {
    const auto seen = observe_once(context, options->observer);
    if (!seen) return kExitUnknown;
    if (context.options.json) {
      context.out() << exporters::render_json(*seen->host, seen->agent,
                                              exporters::JsonLayout::kIndented);
    } else {
      const auto detail =
          options->verbose ? exporters::DeviceDetail::kFull : exporters::DeviceDetail::kBrief;
      context.out() << exporters::render_devices(*seen->host, detail, context.world.style);
    }
    return tell_devices(context, *seen->host);
  };
}

}  // namespace rdmadiag::cli
