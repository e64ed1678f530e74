// `rdmadiag ping`: probes one peer over RDMA and says of each what became of it.
#include <CLI/CLI.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "agent/cli/commands.h"
#include "agent/cli/mesh_source.h"
#include "agent/cli/mesh_words.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "agent/cli/ping_peer.h"
#include "agent/cli/ping_rc.h"
#include "agent/cli/ping_server.h"
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
// A responder answers so many datagrams of one source; what comes over a connection, its NIC
// acknowledges.
constexpr auto kLeastInterval = 10ms;
constexpr auto kLeastConnectedInterval = 1ms;
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

void print_spread(const char* what, const std::optional<Spread>& spread, const Context& context) {
  if (spread) context.out() << what << " min/p50/avg/max " << spread_text(*spread) << "\n";
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

void print_json(const PingStatistics& sum, const PingRequest& request, const Context& context) {
  json outcomes = json::object();
  for (std::size_t i = 0; i < core::kProbeOutcomeCount; ++i) {
    const auto outcome = static_cast<ProbeOutcome>(i);
    outcomes[std::string(core::probe_outcome_name(outcome))] = sum.count(outcome);
  }
  const auto stamps = sum.timestamps();
  context.out() << json{{"schema_version", 1},
                        {"peer", exporters::valid_utf8(request.path.peer)},
                        {"device", exporters::valid_utf8(request.path.device)},
                        {"port", request.path.port},
                        {"transport", "ud"},
                        {"sent", sum.sent()},
                        {"lost", sum.lost()},
                        {"outcomes", outcomes},
                        {"timestamps",
                         stamps ? json(core::probe_timestamps_name(*stamps)) : json(nullptr)},
                        {"network_rtt", spread_json(sum.network())},
                        {"prober_delay", spread_json(sum.prober())},
                        {"responder_delay", spread_json(sum.responder())}}
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
  bool rc = false;
  bool uc = false;
  std::string operation = "send";
  bool server = false;
  std::string listen = ":10915";
  std::string web_file;
  bool one_sided = false;
};

const std::map<std::string, probes::RcOperation> kOperations = {
    {"send", probes::RcOperation::kSend},
    {"write", probes::RcOperation::kWrite},
    {"read", probes::RcOperation::kRead}};

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

int ping_datagrams(const Options& options, Context& context) {
  const auto keys = shared_keys(context.world, options.wishes.key_file);
  if (!keys) return report_failure(context, keys.error());
  const auto peer = find_ping_peer(context, options.wishes, PingKind::kDatagrams);
  if (!peer) return report_failure(context, peer.error());
  const PingRequest request{.path = peer->path,
                            .key = keys->front(),
                            .interval = options.interval,
                            .timeout = options.timeout,
                            .count = options.count,
                            .labels = options.labels};
  const PingPath& path = request.path;
  if (!context.options.json) {
    context.out() << "PING " << exporters::terminal_text(path.peer, context.world.style) << " ("
                  << core::format_gid(path.remote.gid) << ", queue pair " << path.remote.qpn
                  << ") from " << path.device << " port " << int{path.port} << ", UD, "
                  << options.labels << " labels\n";
  }
  const auto session = open_ping(request);
  PingStatistics sum(options.interval, options.count);
  watch(*session, options, sum, context);
  if (context.options.json) {
    print_json(sum, request, context);
  } else {
    print_summary(sum, path.peer, context);
  }
  return exit_code(sum);
}

int ping(const Options& options, Context& context) {
  if (options.server) {
    if (context.options.json || !options.wishes.peer.empty()) {
      context.err() << "rdmadiag: ping --server takes neither a peer nor --json\n";
      return kExitUsage;
    }
    return serve_pings({.listen = options.listen,
                        .web_file = options.web_file,
                        .device = options.wishes.device,
                        .key_file = options.wishes.key_file,
                        .one_sided = options.one_sided},
                       context);
  }
  if (options.wishes.peer.empty()) {
    context.err() << "rdmadiag: ping wants a PEER, or --server\n";
    return kExitUsage;
  }
  const bool connected = options.rc || options.uc;
  if (options.interval < (connected ? kLeastConnectedInterval : kLeastInterval)) {
    context.err() << "rdmadiag: --interval is at least "
                  << (connected ? "1ms with --rc and --uc\n" : "10ms\n");
    return kExitUsage;
  }
  if (!connected) return ping_datagrams(options, context);
  return ping_connection(
      {.wishes = options.wishes,
       .interval = options.interval,
       .count = options.count,
       .quiet = options.quiet,
       .operation = kOperations.at(options.operation),
       .service = options.uc ? probes::RcService::kUnreliable : probes::RcService::kReliable},
      context);
}

void add_datagram_options(CLI::App& app, Options& options, CLI::Option* rc, CLI::Option* uc) {
  for (CLI::Option* option :
       {add_duration_option(app, "--timeout", options.timeout,
                            "What takes longer is late or lost, 500ms unless said"),
        app.add_option("--labels", options.labels, "Flow labels by turns, 8 unless said")
            ->type_name("N")
            ->check(CLI::Range(1U, 1024U))}) {
    option->excludes(rc)->excludes(uc);
  }
}

void add_connection_options(CLI::App& app, Options& options, CLI::Option* rc) {
  app.add_option("--op", options.operation,
                 "What is done each time over --rc: send, write or read; send unless said")
      ->type_name("OPERATION")
      ->check(CLI::IsMember({"send", "write", "read"}).description(""))
      ->needs(rc);
}

void add_server_options(CLI::App& app, Options& options) {
  CLI::Option* server = app.add_flag("--server", options.server,
                                     "Answer pings until interrupted, on a host without the agent");
  app.add_option("--listen", options.listen, "Where --server is asked, :10915 unless said")
      ->type_name("[HOST]:PORT")
      ->needs(server);
  app.add_option("--web.config.file", options.web_file,
                 "TLS and users of --server, in the format of the daemon's")
      ->type_name("FILE")
      ->needs(server);
  app.add_flag("--one-sided", options.one_sided,
               "Let peers write to and read from a buffer of their own connection (--op)")
      ->needs(server);
}

}  // namespace

Action define_ping(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("peer", options->wishes.peer,
                 "The peer's agent, and which of its NICs: HOST[:PORT][/DEVICE]")
      ->type_name("PEER");
  app.add_option("--count,-c", options->count, "Probes to send (until interrupted unless said)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000'000}));
  add_duration_option(
      app, "--interval,-i", options->interval,
      "Time between two probes, 1s unless said, at least 10ms, 1ms with --rc and --uc");
  CLI::Option* rc =
      app.add_flag("--rc", options->rc, "Messages over a reliable connection instead of datagrams");
  CLI::Option* uc = app.add_flag("--uc", options->uc, "Over an unreliable connection");
  uc->excludes(rc);
  add_connection_options(app, *options, rc);
  add_datagram_options(app, *options, rc, uc);
  app.add_option("--device", options->wishes.device, "Our device (the first that fits unless said)")
      ->type_name("DEVICE");
  app.add_option("--dscp", options->wishes.dscp, "Of the probes; the daemon's unless said")
      ->type_name("N")
      ->check(CLI::Range(0, 63));
  app.add_option("--key-file", options->wishes.key_file,
                 "The key shared with the peer; the daemon's unless said")
      ->type_name("FILE");
  app.add_flag("--quiet,-q", options->quiet, "Only the summary");
  add_tls_options(app, options->wishes.tls);
  add_server_options(app, *options);
  return [options](Context& context) { return ping(*options, context); };
}

}  // namespace rdmadiag::cli
