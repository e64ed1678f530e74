#include "agent/cli/ping_rc.h"

#include <nlohmann/json.hpp>

#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "agent/cli/ping_rc_statistics.h"
#include "agent/cli/ping_verbs.h"
#include "agent/core/gid.h"
#include "exporters/utf8.h"
#include "probes/control_message.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using Kind = probes::RcRecord::Kind;

constexpr auto kPoll = 20ms;
// Opening the device and asking the peer; by then the last message is lost, too.
constexpr auto kAllowance = kRcPingCompletion + 4s;
constexpr auto kUsableWithin = 5s;  // a device that is not opened by then will not be

const char* word(probes::RcOperation operation) {
  switch (operation) {
    case probes::RcOperation::kSend: return "send";
    case probes::RcOperation::kWrite: return "write";
    case probes::RcOperation::kRead: return "read";
  }
  return "unknown";
}

const char* word(probes::RcService service) {
  return service == probes::RcService::kReliable ? "rc" : "uc";
}

std::string printable(const std::string& text, const Context& context) {
  return exporters::terminal_text(text, context.world.style);
}

// Under a name of its own: the agent of this host may have a connection there already.
std::string own_name(const PingPath& path, const World& world) {
  return probes::nic_name(world.hostname, path.device, path.port) + " ping";
}

core::Result<probes::RcParameters> ask(const PingPeer& peer, const probes::RcRequest& request,
                                       const World& world) {
  const auto body =
      peer.agent.post("/api/v1/rc", probes::encode_rc_offer({.from = own_name(peer.path, world),
                                                             .device = peer.path.remote.device,
                                                             .port = peer.path.remote.port,
                                                             .parameters = request.local}));
  if (!body) return tl::make_unexpected(body.error());
  return probes::decode_rc_parameters(*body);
}

void print_record(const probes::RcRecord& record, const RcPingStatistics& sum,
                  const Context& context) {
  switch (record.kind) {
    case Kind::kUp: context.out() << "connected\n"; break;
    case Kind::kAcknowledged:
      context.out() << "seq=" << sum.sent() - 1;
      if (record.round_trip) {
        context.out() << " rtt="
                      << short_time(std::chrono::duration<double>(*record.round_trip).count());
      } else {
        context.out() << " arrived; this host did not run meanwhile";
      }
      context.out() << "\n";
      break;
    case Kind::kLost: context.out() << "seq=" << sum.sent() - 1 << " lost\n"; break;
    case Kind::kNotAgreed:
    case Kind::kBroken:
    case Kind::kLocal:
      context.out() << "not connected: " << printable(record.problem, context) << "\n";
      break;
  }
  context.out() << std::flush;
}

void print_summary(const RcPingStatistics& sum, const std::string& peer, const Context& context) {
  context.out() << "\n"
                << printable(peer, context) << ": " << sum.sent() << " messages, " << sum.lost()
                << " lost (" << share(sum.lost(), sum.sent()) << "); connected " << sum.connected()
                << (sum.connected() == 1 ? " time" : " times") << ", broken " << sum.ended()
                << "\n";
  if (const auto round_trip = sum.round_trip())
    context.out() << "round trip min/p50/avg/max " << spread_text(*round_trip) << "\n";
}

void print_json(const RcPingStatistics& sum, const RcPingRequest& request, const Context& context) {
  context.out() << nlohmann::json{{"schema_version", 1},
                                  {"peer", exporters::valid_utf8(request.path.peer)},
                                  {"device", exporters::valid_utf8(request.path.device)},
                                  {"port", request.path.port},
                                  {"transport", word(request.service)},
                                  {"operation", word(request.operation)},
                                  {"sent", sum.sent()},
                                  {"lost", sum.lost()},
                                  {"connected", sum.connected()},
                                  {"broken", sum.ended()},
                                  {"problem", exporters::valid_utf8(sum.problem())},
                                  {"round_trip", spread_json(sum.round_trip())}}
                       .dump(2)
                << "\n";
}

// Until `count` messages are decided, the user has enough, or it is clear that there will be none.
void watch(RcPingSession& session, const PingPeer& peer, const RcPingOptions& options,
           RcPingStatistics& sum, const Context& context) {
  const core::SteadyTime begin = context.world.clock->steady();
  const auto most = options.interval * static_cast<std::int64_t>(options.count) + kAllowance;
  bool was_usable = false;
  while (context.world.wait(kPoll)) {
    for (const probes::RcRequest& request : session.take_requests())
      session.answered(request.id, ask(peer, request, context.world));
    for (const probes::RcRecord& record : session.take()) {
      if (!sum.add(record)) continue;
      if (!context.options.json && !options.quiet) print_record(record, sum, context);
      // Nothing was ever measured, and it will not get better by itself.
      if (record.kind == Kind::kNotAgreed && sum.connected() == 0) {
        report_failure(context, core::Error{{}, record.problem});
        return;
      }
    }
    const auto since = context.world.clock->steady() - begin;
    const std::string problem = session.problem();
    was_usable |= problem.empty();
    if (!was_usable && since > kUsableWithin) {
      report_failure(context, core::Error{{}, problem});
      return;
    }
    if (sum.complete() || (options.count > 0 && since > most)) return;
  }
}

}  // namespace

int ping_connection(const RcPingOptions& options, Context& context) {
  auto peer = find_ping_peer(context, options.wishes, PingKind::kConnection);
  if (!peer) return report_failure(context, peer.error());
  const RcPingRequest request{.path = peer->path,
                              .interval = options.interval,
                              .operation = options.operation,
                              .service = options.service};
  if (!context.options.json) {
    context.out() << "PING " << printable(request.path.peer, context) << " ("
                  << core::format_gid(request.path.remote.gid) << ") from " << request.path.device
                  << " port " << int{request.path.port} << ", "
                  << (request.service == probes::RcService::kReliable ? "RC " : "UC ")
                  << word(request.operation) << "\n";
  }
  RcPingStatistics sum(options.count);
  {
    const auto session = open_rc_ping(request);
    watch(*session, *peer, options, sum, context);
  }
  if (context.options.json) {
    print_json(sum, request, context);
  } else {
    print_summary(sum, request.path.peer, context);
  }
  return sum.exit_code();
}

}  // namespace rdmadiag::cli
