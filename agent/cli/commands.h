// The subcommands. Each lives in a file of its own and has one line in commands.cpp.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "agent/cli/world.h"

namespace CLI {
class App;
}

namespace rdmadiag::cli {

using Action = std::function<int(Context&)>;  // gives the exit code

struct Command {
  std::string_view name;
  std::string_view summary;
  Action (*define)(CLI::App& app);  // adds the command's own options
};

[[nodiscard]] std::span<const Command> all_commands();

Action define_bench(CLI::App& app);
Action define_capture(CLI::App& app);
Action define_check(CLI::App& app);
Action define_config(CLI::App& app);
Action define_counters(CLI::App& app);
Action define_devices(CLI::App& app);
Action define_doctor(CLI::App& app);
Action define_fabric(CLI::App& app);
Action define_gids(CLI::App& app);
Action define_locate(CLI::App& app);
Action define_mesh(CLI::App& app);
Action define_metrics(CLI::App& app);
Action define_peers(CLI::App& app);
Action define_ping(CLI::App& app);
Action define_pinglist(CLI::App& app);
Action define_plan(CLI::App& app);
Action define_qps(CLI::App& app);
Action define_report(CLI::App& app);
Action define_status(CLI::App& app);
Action define_trace(CLI::App& app);

}  // namespace rdmadiag::cli
