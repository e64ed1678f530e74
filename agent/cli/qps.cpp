// `rdmadiag qps`: the live queue pairs, and whose they are.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/words.h"
#include "exporters/text.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

// As add_word_option() spells it; empty: none.
std::optional<int> state_of(const std::string& word) {
  for (int state = 0; state < kQueuePairStates; ++state) {
    if (core::qp_state_name(state) == word) return state;
  }
  return std::nullopt;
}

template <class T>
json optional_json(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const std::string& device, const core::QueuePair& pair) {
  return {{"device", exporters::valid_utf8(device)},
          {"port", pair.port == 0 ? json(nullptr) : json(pair.port)},
          {"type", core::qp_type_name(pair.type)},
          {"state", core::qp_state_name(pair.state)},
          {"local_qpn", pair.local_qpn},
          {"remote_qpn", optional_json(pair.remote_qpn)},
          {"pid", optional_json(pair.pid)},
          {"owner", exporters::valid_utf8(pair.owner)}};
}

// Devices that said nothing about their queue pairs.
std::vector<std::string> silent_devices(const core::HostSnapshot& host) {
  std::vector<std::string> silent;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.present) continue;
    if (entry.snapshot == nullptr || !entry.snapshot->queue_pairs) silent.push_back(entry.name);
  }
  return silent;
}

void print_json(const core::HostSnapshot& host, std::optional<int> state, Context& context) {
  json pairs = json::array();
  for (const core::DeviceEntry& entry : host.devices) {
    if (entry.snapshot == nullptr || !entry.snapshot->queue_pairs) continue;
    for (const core::QueuePair& pair : *entry.snapshot->queue_pairs) {
      if (!state || pair.state == *state) pairs.push_back(to_json(entry.name, pair));
    }
  }
  json silent = json::array();
  for (const std::string& name : silent_devices(host))
    silent.push_back(exporters::valid_utf8(name));
  context.out() << json{{"schema_version", 1}, {"queue_pairs", pairs}, {"not_told", silent}}.dump(2)
                << "\n";
}

int show(const core::HostSnapshot& host, std::optional<int> state, Context& context) {
  if (context.options.json) {
    print_json(host, state, context);
  } else {
    context.out() << exporters::render_queue_pairs(host, state, context.world.style);
  }
  const int code = tell_devices(context, host);
  const auto silent = silent_devices(host);
  for (const std::string& name : silent) {
    context.err() << "rdmadiag: " << exporters::terminal_text(name, context.world.style)
                  << ": RDMA netlink tells no queue pairs\n";
  }
  return silent.empty() ? code : kExitUnknown;
}

}  // namespace

Action define_qps(CLI::App& app) {
  auto state = std::make_shared<std::string>();
  add_word_option(app, "--state", *state, "STATE",
                  "Only queue pairs in this state: reset, init, rtr, rts, sqd, sqe or err");
  return [state](Context& context) {
    ObserverOptions options;
    options.queue_pairs = true;
    const auto seen = observe_once(context, options);
    return seen ? show(*seen->host, state_of(*state), context) : kExitUnknown;
  };
}

}  // namespace rdmadiag::cli
