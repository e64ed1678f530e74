// `rdmadiag bench`: latency and bandwidth to a peer over message sizes, and the end that is asked.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>

#include "agent/cli/bench_compare.h"
#include "agent/cli/bench_html.h"
#include "agent/cli/bench_json.h"
#include "agent/cli/bench_server.h"
#include "agent/cli/bench_sweep.h"
#include "agent/cli/bench_text.h"
#include "agent/cli/commands.h"
#include "agent/cli/observe.h"
#include "agent/cli/options.h"
#include "probes/bench/registration.h"

namespace rdmadiag::cli {
namespace {

struct Options {
  BenchWishes wishes = {};
  bool server = false;
  BenchServerWishes serving{.listen = ":" + std::to_string(kBenchPort)};
  std::string operation = "write";
  std::string transport = "rc";
  std::string sizes = {};
  std::string metric = "both";
  std::string cpu = "auto";
  bool csv = false;
  bool curves = false;
  std::string html = {};
  std::string compare = {};
  double tolerance = 10;  // per cent
};

int usage(const Context& context, const std::string& problem) {
  context.err() << "rdmadiag: " << exporters::terminal_text(problem, context.world.style)
                << "\nRun with --help for more information.\n";
  return kExitUsage;
}

template <class Value, std::size_t N>
Value index_of(const std::array<const char*, N>& names, const std::string& word) {
  return static_cast<Value>(std::ranges::find(names, word) - names.begin());
}

// Words into values; the error is for whoever typed them.
core::Status understand(Options& options) {
  BenchWishes& wishes = options.wishes;
  wishes.plan.operation =
      index_of<probes::RcOperation>(probes::kBenchOperationNames, options.operation);
  wishes.plan.transport =
      index_of<probes::BenchTransport>(probes::kBenchTransportNames, options.transport);
  wishes.latency = options.metric != "bandwidth";
  wishes.bandwidth = options.metric != "latency";
  const auto placement = probes::parse_placement(options.cpu);
  if (!placement) return core::fail("--cpu is auto, none or a number, not " + options.cpu);
  wishes.placement = options.serving.placement = *placement;
  options.serving.device = wishes.device;
  if (!options.sizes.empty()) {
    auto sizes = probes::parse_bench_sizes(options.sizes);
    if (!sizes) return core::fail("--sizes: " + sizes.error().message());
    wishes.sizes = std::move(*sizes);
  }
  if (wishes.limit.iterations != 0) wishes.limit.duration = {};
  if (options.server || options.metric == "registration") return {};
  if (wishes.peer.empty()) return core::fail("PEER is missing; --server is the other end");
  probes::BenchPlan plan = wishes.plan;
  plan.largest = wishes.sizes.empty() ? 1 : wishes.sizes.back();
  return probes::check_bench_plan(plan, core::Protocol::kUnknown, 0);
}

core::Result<BenchRun> run_registration(const Context& context, const BenchWishes& wishes) {
  const auto ports = own_bench_ports(context, wishes.device);
  if (!ports) return tl::make_unexpected(ports.error());
  const auto device = probes::Device::open({.name = ports->front().device, .node_guid = {}});
  if (!device) return tl::make_unexpected(device.error());
  auto placement = probes::place_thread(wishes.placement, *device);
  if (!placement) return tl::make_unexpected(placement.error());
  BenchRun run{.device = device->name(),
               .protocol = std::string(core::protocol_name(ports->front().protocol)),
               .placement = std::move(*placement)};
  const auto sizes =
      wishes.sizes.empty() ? probes::parse_bench_sizes("4K..64M").value() : wishes.sizes;
  const core::SystemClock clock;
  for (const std::uint32_t size : sizes) {
    const auto figures = probes::measure_registration(*device, size, wishes.limit, clock);
    if (!figures) {
      run.problem = figures.error().message();
      break;
    }
    run.registration.push_back({size, figures->registering, figures->releasing});
    if (!context.world.wait(std::chrono::nanoseconds(1))) {
      run.problem = "interrupted";
      break;
    }
  }
  if (run.registration.empty()) return core::fail(run.problem);
  return run;
}

core::Result<BenchRun> read_stored(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return core::errno_error(errno, "reading " + path);
  auto run = read_bench_json(text.str());
  if (!run) return core::fail(path + ": " + run.error().message());
  return run;
}

core::Status write_page(const std::string& path, const BenchRun& run, core::SystemTime when) {
  std::ofstream file(path, std::ios::trunc);
  file << bench_page(run, when) << std::flush;
  if (!file) return core::errno_error(errno, "writing " + path);
  return {};
}

void print(const BenchRun& run, const Options& options, const Context& context) {
  if (context.options.json) {
    context.out() << bench_json(run);
  } else if (options.csv) {
    context.out() << bench_csv(run);
  } else {
    const exporters::TerminalStyle& style = context.world.style;
    context.out() << bench_heading(run, style) << "\n" << bench_tables(run, style);
    if (options.curves || context.world.out_is_terminal) context.out() << bench_curves(run, style);
  }
}

int judge(const BenchRun& run, const BenchRun& stored, const Options& options,
          const Context& context) {
  const auto judgement = judge_bench(run, stored, options.tolerance / 100);
  if (!judgement) return report_failure(context, judgement.error());
  std::ostream& out = context.options.json || options.csv ? context.err() : context.out();
  out << "\n" << judgement_table(*judgement, context.world.style);
  constexpr std::array kCodes = {kExitFine, kExitWarning, kExitCritical};
  return kCodes.at(static_cast<std::size_t>(judgement->worst()));
}

int measure(const Options& options, const Context& context) {
  // What is wrong with the stored run is said before minutes are spent on the new one.
  std::optional<BenchRun> stored;
  if (!options.compare.empty()) {
    auto read = read_stored(options.compare);
    if (!read) return report_failure(context, read.error());
    stored = std::move(*read);
  }
  const auto run = options.metric == "registration" ? run_registration(context, options.wishes)
                                                    : run_sweep(context, options.wishes);
  if (!run) return report_failure(context, run.error());
  print(*run, options, context);
  if (!options.html.empty()) {
    const auto written = write_page(options.html, *run, context.world.clock->system());
    if (!written) return report_failure(context, written.error());
  }
  if (!run->problem.empty()) return report_failure(context, core::Error{{}, run->problem});
  return stored ? judge(*run, *stored, options, context) : kExitFine;
}

void add_plan_options(CLI::App& app, Options& options) {
  probes::BenchPlan& plan = options.wishes.plan;
  add_word_option(app, "--op", options.operation, "OPERATION",
                  "What is measured: write, read or send; write unless said");
  add_word_option(app, "--transport", options.transport, "TRANSPORT",
                  "Of the queue pairs: rc, uc or ud; rc unless said");
  add_word_option(
      app, "--metric", options.metric, "METRIC",
      "latency, bandwidth or both, which it is unless said; registration: what registering "
      "memory costs, without a peer");
  app.add_option("--sizes", options.sizes,
                 "Message sizes: 64, 2..1M or 64,4K,1M; 2..1M unless said")
      ->type_name("SIZES");
  app.add_option("--qps", plan.pairs, "Queue pairs for bandwidth, 1 unless said")
      ->type_name("N")
      ->check(CLI::Range(1U, probes::kMaxBenchPairs));
  app.add_option("--depth", plan.depth, "Messages on their way on each queue pair, 128 unless said")
      ->type_name("N")
      ->check(CLI::Range(1U, probes::kMaxBenchDepth));
  app.add_option("--cq-mod", plan.moderation,
                 "Signal every N-th message, 100 unless said; those of more than 8 KiB always")
      ->type_name("N")
      ->check(CLI::Range(1U, probes::kMaxBenchDepth));
  app.add_option("--mtu", plan.mtu, "Path MTU in bytes; the port's unless said")->type_name("N");
  app.add_option("--inline", plan.inline_bytes,
                 "Bytes to send inline; perftest's for latency, none for bandwidth unless said")
      ->type_name("N");
  add_duration_option(app, "--duration", options.wishes.limit.duration,
                      "Of each size and figure, 500ms unless said");
  app.add_option("--iterations", options.wishes.limit.iterations,
                 "Messages of each size and figure, instead of a time")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
  app.add_flag("--bidirectional", plan.bidirectional, "Bandwidth: both ends send");
  app.add_flag("--events", plan.events, "Sleep on completion events instead of polling");
}

}  // namespace

Action define_bench(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("peer", options->wishes.peer,
                 "Its agent, or where its `bench --server` waits: HOST[:PORT][/DEVICE]")
      ->type_name("PEER");
  app.add_flag("--server", options->server, "Be the other end, until interrupted");
  app.add_option("--listen", options->serving.listen,
                 "Where --server waits, :" + std::to_string(kBenchPort) + " unless said")
      ->type_name("ADDRESS:PORT");
  app.add_option("--web.config.file", options->serving.web_config_file,
                 "TLS and users of --server, as the daemon's")
      ->type_name("FILE");
  app.add_option("--device", options->wishes.device, "Our device (the first that fits unless said)")
      ->type_name("DEVICE");
  add_plan_options(app, *options);
  app.add_option("--cpu", options->cpu,
                 "Where threads run: auto (beside the NIC), none or a CPU's number")
      ->type_name("CPU");
  app.add_flag("--csv", options->csv, "Print CSV");
  app.add_flag("--curves", options->curves, "Show bars over sizes also where no terminal is");
  app.add_option("--html", options->html, "Write a page with plots, too")->type_name("FILE");
  app.add_option("--compare", options->compare,
                 "Judge the run by a stored one (of --json): exit code 1 or 2 when it is worse")
      ->type_name("FILE");
  app.add_option("--tolerance", options->tolerance, "Of --compare, 10 per cent unless said")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 50.0));
  return [options](Context& context) {
    if (auto understood = understand(*options); !understood) {
      return usage(context, understood.error().message());
    }
    if (options->server) return serve_bench(context, options->serving);
    return measure(*options, context);
  };
}

}  // namespace rdmadiag::cli
