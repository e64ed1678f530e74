// `rdmadiag ping`: probes one peer over RDMA and says of each what became of it.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/ping_peer.h"
#include "agent/cli/ping_session.h"
#include "agent/cli/ping_statistics.h"
#include "agent/cli/ping_verbs.h"
#include "agent/core/gid.h"
#include "exporters/utf8.h"

namespace rdmadiag::cli {
namespace {

using namespace std::chrono_literals;
using core::ProbeOutcome;
using nlohmann::json;

constexpr auto kPoll = 20ms;
constexpr auto kUsableWithin = 5s;  // a device that is not opened by then will not be
constexpr auto kLateLimit = 6s;     // by then every probe is decided
constexpr int kFirstHopLimit = 64;

std::string words(ProbeOutcome outcome) {
  switch (outcome) {
    case ProbeOutcome::kOk: return "ok";
    case ProbeOutcome::kOkNoAck2: return "answered, the second answer was lost on the way back";
    case ProbeOutcome::kLate: return "late";
    case ProbeOutcome::kLostForward: return "lost on the way there";
    case ProbeOutcome::kLostReverse: return "lost on the way back";
    case ProbeOutcome::kLostUnknown: return "lost, no later answer says where";
    case ProbeOutcome::kLocalTx: return "not sent: it never left this NIC";
    case ProbeOutcome::kSelfStall: return "discarded: this host did not run meanwhile";
    case ProbeOutcome::kPeerStall: return "late because the peer's host did not run meanwhile";
    case ProbeOutcome::kStale: return "discarded: the peer's agent has restarted";
    case ProbeOutcome::kNotSent: return "not sent: no address";
  }
  return "unknown";
}

void print_line(const NumberedProbe& numbered, const Context& context) {
  const probes::DecidedProbe& probe = numbered.probe;
  context.out() << "seq=" << numbered.number << " label=" << probe.probe.label;
  if (probe.sample) {
    const auto time = [](std::chrono::nanoseconds value) {
      return short_time(std::chrono::duration<double>(value).count());
    };
    context.out() << " rtt=" << time(probe.sample->network_rtt)
                  << " prober=" << time(probe.sample->prober_delay)
                  << " responder=" << time(probe.sample->responder_delay);
  } else {
    context.out() << " " << words(probe.outcome);
  }
  if (probe.forward_hop_limit)
    context.out() << " hops=" << kFirstHopLimit - int{*probe.forward_hop_limit};
  constexpr std::uint8_t kCongestion = 3;
  if (probe.forward_traffic_class && (*probe.forward_traffic_class & 3) == kCongestion)
    context.out() << " ecn=there";
  if (probe.reverse_traffic_class && (*probe.reverse_traffic_class & 3) == kCongestion)
    context.out() << " ecn=back";
  context.out() << "\n" << std::flush;
}

void print_spread(const char* what, const std::optional<PingStatistics::Spread>& spread,
                  const Context& context) {
  if (!spread) return;
  context.out() << what << " min/p50/avg/max " << short_time(spread->least) << "/"
                << short_time(spread->median) << "/" << short_time(spread->mean) << "/"
                << short_time(spread->most) << "\n";
}

void print_summary(const PingStatistics& sum, const std::string& peer, const Context& context) {
  context.out() << "\n"
                << exporters::terminal_text(peer, context.world.style) << ": " << sum.sent()
                << " probes, " << sum.lost() << " lost (" << share(sum.lost(), sum.sent())
                << "): " << sum.count(ProbeOutcome::kLostForward) << " on the way there, "
                << sum.count(ProbeOutcome::kLostReverse) << " on the way back, "
                << sum.count(ProbeOutcome::kLostUnknown) << " somewhere; "
                << sum.count(ProbeOutcome::kLate) << " late, " << sum.discarded() << " discarded\n";
  print_spread("network  ", sum.network(), context);
  print_spread("prober   ", sum.prober(), context);
  print_spread("responder", sum.responder(), context);
}

json to_json(const std::optional<PingStatistics::Spread>& spread) {
  if (!spread) return nullptr;
  return {{"min_seconds", spread->least},
          {"p50_seconds", spread->median},
          {"avg_seconds", spread->mean},
          {"max_seconds", spread->most}};
}

void print_json(const PingStatistics& sum, const PingRequest& request, const Context& context) {
  json outcomes = json::object();
  for (std::size_t i = 0; i < core::kProbeOutcomeCount; ++i) {
    const auto outcome = static_cast<ProbeOutcome>(i);
    outcomes[std::string(core::probe_outcome_name(outcome))] = sum.count(outcome);
  }
  const auto stamps = sum.timestamps();
  context.out() << json{{"schema_version", 1},
                        {"peer", exporters::valid_utf8(request.peer)},
                        {"device", exporters::valid_utf8(request.device)},
                        {"port", request.port},
                        {"sent", sum.sent()},
                        {"lost", sum.lost()},
                        {"outcomes", outcomes},
                        {"timestamps",
                         stamps ? json(core::probe_timestamps_name(*stamps)) : json(nullptr)},
                        {"network_rtt", to_json(sum.network())},
                        {"prober_delay", to_json(sum.prober())},
                        {"responder_delay", to_json(sum.responder())}}
                       .dump(2)
                << "\n";
}

int exit_code(const PingStatistics& sum) {
  if (sum.sent() == 0 || sum.sent() == sum.discarded()) return kExitUnknown;
  const std::uint64_t ok = sum.count(ProbeOutcome::kOk);
  const std::uint64_t answered =
      ok + sum.count(ProbeOutcome::kOkNoAck2) + sum.count(ProbeOutcome::kLate);
  if (answered == 0) return kExitCritical;
  return answered == ok && sum.lost() == 0 ? kExitFine : kExitWarning;
}

struct Options {
  PingWishes wishes;
  std::chrono::nanoseconds interval = 1s;
  std::chrono::nanoseconds timeout = 500ms;
  std::uint64_t count = 0;
  std::uint32_t labels = 8;
  bool quiet = false;
};

// Until all of `count` are decided, the user has enough, or nothing can be sent.
void watch(PingSession& session, const Options& options, PingStatistics& sum,
           const Context& context) {
  const core::SteadyTime begin = context.world.clock->steady();
  const auto all = options.interval * static_cast<std::int64_t>(options.count) + kLateLimit;
  bool was_usable = false;
  while (context.world.wait(kPoll)) {
    for (const NumberedProbe& probe : sum.add(session.take())) {
      if (!context.options.json && !options.quiet) print_line(probe, context);
    }
    const auto since = context.world.clock->steady() - begin;
    const std::string problem = session.problem();
    was_usable |= problem.empty();
    if (!was_usable && since > kUsableWithin) {
      report_failure(context, core::Error{{}, problem});
      return;
    }
    if (sum.complete() || (options.count > 0 && since > all + kUsableWithin)) return;
  }
}

int ping(const Options& options, Context& context) {
  auto request = make_ping_request(context, options.wishes);
  if (!request) return report_failure(context, request.error());
  request->interval = options.interval;
  request->timeout = options.timeout;
  request->labels = options.labels;
  if (!context.options.json) {
    context.out() << "PING " << exporters::terminal_text(request->peer, context.world.style) << " ("
                  << core::format_gid(request->endpoint.address.gid) << ", queue pair "
                  << request->endpoint.address.qpn << ") from " << request->device << " port "
                  << int{request->port} << ", UD, " << options.labels << " labels\n";
  }
  const auto session = open_ping(*request);
  PingStatistics sum(options.interval, options.count);
  watch(*session, options, sum, context);
  if (context.options.json) {
    print_json(sum, *request, context);
  } else {
    print_summary(sum, request->peer, context);
  }
  return exit_code(sum);
}

}  // namespace

Action define_ping(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("peer", options->wishes.peer,
                 "The peer's agent, and which of its NICs: HOST[:PORT][/DEVICE]")
      ->required()
      ->type_name("PEER");
  app.add_option("--count,-c", options->count, "Probes to send (until interrupted unless said)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000'000}));
  add_tls_options(app, options->wishes.tls);
  add_duration_option(app, "--interval,-i", options->interval,
                      "Time between two probes, 1s unless said, at least 10ms");
  add_duration_option(app, "--timeout", options->timeout,
                      "What takes longer is late or lost, 500ms unless said");
  app.add_option("--labels", options->labels, "Flow labels by turns, 8 unless said")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--device", options->wishes.device, "Our device (the first that fits unless said)")
      ->type_name("DEVICE");
  app.add_option("--dscp", options->wishes.dscp, "Of the probes; the daemon's unless said")
      ->type_name("N")
      ->check(CLI::Range(0, 63));
  app.add_option("--key-file", options->wishes.key_file,
                 "The key shared with the peer; the daemon's unless said")
      ->type_name("FILE");
  app.add_flag("--quiet,-q", options->quiet, "Only the summary");
  return [options](Context& context) {
    if (options->interval < 10ms) {
      context.err() << "rdmadiag: --interval is at least 10ms\n";
      return kExitUsage;
    }
    return ping(*options, context);
  };
}

}  // namespace rdmadiag::cli
