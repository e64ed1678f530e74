#include "agent/cli/options.h"

#include <CLI/CLI.hpp>

namespace rdmadiag::cli {

void add_agent_option(CLI::App& app, ObserverOptions& options) {
  app.add_option("--agent", options.agent,
                 "Ask the agent of another host (port 10915 where none is named)")
      ->type_name("HOST:PORT");
}

}  // namespace rdmadiag::cli
