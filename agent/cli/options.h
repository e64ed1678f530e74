// Options that several commands share.
#pragma once

#include <string>

#include "agent/cli/observe.h"

namespace CLI {
class App;
}

namespace rdmadiag::cli {

// `--agent HOST:PORT`, into options.agent.
void add_agent_option(CLI::App& app, ObserverOptions& options);

}  // namespace rdmadiag::cli
