#include "agent/cli/fetch.h"

#include "probes/stop_event.h"

namespace rdmadiag::cli {

core::Result<std::string> fetch(const HttpCall& call) { return fetch_within(call, {}); }

core::Result<std::string> fetch_within(const HttpCall& call, const FetchLimits& limits) {
  // Never set: who interrupts a command ends the program.
  static const probes::StopEvent kNever;
  probes::HttpClient client({.tls = call.tls,
                             .connect_timeout = std::chrono::seconds(5),
                             .timeout = limits.time,
                             .max_body = limits.bytes},
                            kNever);
  return call.json ? client.post_json(call.url, *call.json) : client.get(call.url);
}

}  // namespace rdmadiag::cli
