#include "agent/daemon/app.h"

#include <linux/magic.h>
#include <linux/netlink.h>
#include <sys/vfs.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>

#include "agent/core/log.h"
#include "agent/core/version.h"
#include "agent/daemon/bench.h"
#include "agent/daemon/bursts.h"
#include "agent/daemon/event_loop.h"
#include "agent/daemon/exit_guard.h"
#include "agent/daemon/observer.h"
#include "agent/daemon/probing.h"
#include "agent/daemon/process_stats.h"
#include "agent/daemon/published.h"
#include "agent/daemon/reloader.h"
#include "agent/daemon/routes.h"
#include "agent/daemon/service.h"
#include "agent/daemon/settings.h"
#include "agent/daemon/watching.h"
#include "agent/host/collect.h"
#include "agent/host/live_sources.h"
#include "agent/host/rdma_netlink.h"
#include "agent/host/replace_file.h"
#include "exporters/http_server.h"
#include "exporters/prometheus.h"

namespace rdmadiag::daemon {
namespace {

constexpr const char* kDefaultAddress = ":10915";
constexpr auto kStopWithin = std::chrono::milliseconds(1500);

// A captured tree must not be mixed with what this machine's kernel says by netlink.
bool is_live_sysfs(const std::filesystem::path& sysfs) {
  struct statfs status {};
  return statfs(sysfs.c_str(), &status) == 0 && status.f_type == SYSFS_MAGIC;
}

host::CollectorParts collector_parts(const Options& options, const AppParts& parts) {
  host::CollectorParts collector;
  collector.clock = parts.clock;
  if (!is_live_sysfs(options.roots.sys)) return collector;
  collector.netlink = host::make_rdma_netlink(options.roots.proc.string());
  collector.more_sources = host::live_sources(parts.launch);
  return collector;
}

WatchingParts watching_parts(const Options& options, const AppParts& parts) {
  WatchingParts watching;
  watching.watch.roots = options.roots;
  watching.watch.clock = parts.clock;
  watching.watch.rdma = host::make_rdma_netlink();
  watching.watch.route = std::make_shared<host::NetlinkSocketPool>(NETLINK_ROUTE);
  watching.watch.devlink = std::make_shared<host::GenericNetlink>(
      std::make_shared<host::NetlinkSocketPool>(NETLINK_GENERIC), "devlink");
  watching.watch.launch = parts.launch;
  return watching;
}

std::chrono::nanoseconds cpu_time(const core::ProcessStats& process) {
  const std::chrono::duration<double> used(process.cpu_seconds.value_or(0));
  return std::chrono::duration_cast<std::chrono::nanoseconds>(used);
}

// Destroyed from the bottom up: first what serves, last what it reads from.
class App {
 public:
  App(const Options& options, const config::Config& config, const AppParts& parts)
      : options_(options),
        clock_(parts.clock),
        probing_parts_{.clock = parts.clock,
                       .random = parts.random,
                       .observe = [this] { return observer_.observe()->host; },
                       .cpu_time = [this] { return cpu_time(process_.read()); },
                       .hostname = parts.hostname,
                       .addresses = {parts.hostname, {}}},
        config_(config),
        collector_(options.roots, make_collect_options(options, config),
                   collector_parts(options, parts)),
        observer_(collector_, config.expect),
        watching_parts_(watching_parts(options, parts)),
        process_(parts.own_proc),
        reloader_(
            options.config_file, [this](const config::Config& fresh) { return apply(fresh); },
            *clock_),
        bench_(make_bench_parts(
            observer_, config_, clock_, parts.random,
            is_live_sysfs(options.roots.sys) ? BenchDevices::kHere : BenchDevices::kNone)) {
    if (is_live_sysfs(options.roots.sys)) observer_.limits(parts.limits);
    observer_.follow_probes([this]() -> std::shared_ptr<const Probes> {
      const auto probing = probing_.get();
      return probing ? std::make_shared<const Probes>(probing->snapshots()) : nullptr;
    });
  }

  core::Status serve(std::vector<core::UniqueFd> sockets);
  core::Status print_once();

 private:
  [[nodiscard]] RouteParts route_parts() {
    return {.observer = observer_,
            .reloader = reloader_,
            .web_config_taken = options_.web_config_file ? &web_config_taken_ : nullptr,
            .process = process_,
            .config = config_,
            .ready = ready_,
            .probing = probing_,
            .bench = bench_};
  }
  std::vector<std::string> apply(const config::Config& fresh);
  core::Status start_server(std::vector<core::UniqueFd> sockets);
  void start_probing();
  core::Status set_up_loop(EventLoop& loop);
  core::Status start_watching(EventLoop& loop);

  ExitGuard exit_guard_;  // outlives what it guards the end of
  const Options options_;
  const std::shared_ptr<const core::Clock> clock_;
  std::atomic<bool> ready_ = false;
  std::atomic<bool> web_config_taken_ = true;
  ProbingParts probing_parts_;
  Published<config::Config> config_;
  host::Collector collector_;
  Observer observer_;
  std::unique_ptr<Bursts> bursts_;
  WatchingParts watching_parts_;
  std::unique_ptr<Watching> watching_;
  ProcessReader process_;
  Reloader reloader_;
  ProbingSlot probing_;
  probes::BenchService bench_;
  std::unique_ptr<exporters::HttpServer> server_;
};

std::vector<std::string> App::apply(const config::Config& fresh) {
  const host::CollectOptions collect = make_collect_options(options_, fresh);
  if (const auto status = host::check_options(collect); !status) return {status.error().message()};
  if (const auto probing = probing_.get()) {
    if (const auto status = probing->apply(fresh); !status) return {status.error().message()};
  }
  collector_.reconfigure(collect);
  observer_.expect(fresh.expect);
  if (bursts_) bursts_->configure(fresh.collect.burst);
  config_.publish(fresh);
  return {};
}

core::Status App::start_server(std::vector<core::UniqueFd> sockets) {
  exporters::HttpServerOptions server;
  server.listen_addresses = options_.listen_addresses;
  if (server.listen_addresses.empty() && sockets.empty())
    server.listen_addresses = {kDefaultAddress};
  server.sockets = std::move(sockets);
  server.web_config_file = options_.web_config_file;
  server.on_problem = [](const core::Error& error) {
    core::log_warn("serving", {{"problem", error.message()}});
  };
  server.on_web_config = [this](bool taken) { web_config_taken_ = taken; };
  const auto lifecycle = options_.enable_lifecycle ? Lifecycle::kEnabled : Lifecycle::kDisabled;
  auto started = exporters::HttpServer::start(std::move(server),
                                              make_routes(route_parts(), lifecycle), *clock_);
  if (!started) return tl::make_unexpected(started.error());
  server_ = std::move(*started);
  core::log_info("started", {{"version", std::string(core::kVersion)},
                             {"revision", std::string(core::kRevision)}});
  for (const std::string& address : server_->addresses())
    core::log_info("listening",
                   {{"address", address}, {"tls", server_->uses_tls() ? "true" : "false"}});
  return {};
}

void App::start_probing() {
  if (!is_live_sysfs(options_.roots.sys)) return;
  probing_parts_.addresses = OwnAddresses(probing_parts_.hostname, server_->addresses());
  probing_parts_.on_port_change = watching_->port_listener();
  probing_.set(std::make_shared<Probing>(probing_parts_, *config_.get()));
}

core::Status App::set_up_loop(EventLoop& loop) {
  const auto on_signal = [this, &loop](int signal) {
    if (signal == SIGHUP) {
      static_cast<void>(reloader_.reload());
    } else {
      core::log_info("stopping", {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"}});
      loop.stop();
    }
  };
  if (auto status = loop.on_signals({SIGTERM, SIGINT, SIGHUP}, on_signal); !status) return status;
  if (const auto period = watchdog_period()) return loop.every(*period, notify_alive);
  return {};
}

// A captured tree does not change, and this machine's links are not its own.
core::Status App::start_watching(EventLoop& loop) {
  if (!is_live_sysfs(options_.roots.sys)) return {};
  watching_parts_.rescan = [this] { collector_.rescan(); };
  watching_parts_.observe = [this] {
    static_cast<void>(observer_.observe());
    if (const auto probing = probing_.get()) probing->devices_changed();
  };
  auto started = Watching::start(std::move(watching_parts_));
  if (!started) return tl::make_unexpected(started.error());
  watching_ = *std::move(started);
  observer_.watch(*watching_);
  bursts_ = std::make_unique<Bursts>(options_.roots, host::BurstParts{.clock = clock_},
                                     config_.get()->collect.burst);
  observer_.sample(*bursts_);
  return loop.watch(watching_->descriptor(), [this] { watching_->dispatch(); });
}

core::Status App::serve(std::vector<core::UniqueFd> sockets) {
  auto loop = EventLoop::make();
  if (!loop) return tl::make_unexpected(loop.error());
  if (auto status = set_up_loop(**loop); !status) return status;
  if (auto status = start_watching(**loop); !status) return status;
  if (auto status = start_server(std::move(sockets)); !status) return status;
  start_probing();
  // Apart from the loop, which must answer to signals also while a first read is slow.
  const std::jthread first_read([this, &loop] {
    const std::size_t devices = observer_.observe()->host->devices.size();
    (*loop)->post([this, devices] {
      ready_ = true;
      notify_ready("serving");
      core::log_info("watching", {{"devices", std::to_string(devices)},
                                  {"sysfs", options_.roots.sys.string()}});
    });
  });
  const core::Status status = (*loop)->run();
  notify_stopping();
  exit_guard_.arm(kStopWithin);
  bench_.stop();  // handlers may wait for a run
  server_.reset();
  probing_.set(nullptr);
  return status;
}

core::Status App::print_once() {
  const auto observation = observer_.observe();
  const exporters::MetricsOptions options{.sources = {},
                                          .node_exporter = config_.get()->compat.node_exporter};
  std::string text;
  exporters::render_prometheus(*observation->host, make_agent_status(route_parts(), *observation),
                               options, text);
  if (!options_.output.empty()) return host::replace_file(options_.output, 0644, text);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) return core::errno_error(errno, "writing to stdout");
  return {};
}

// Where a root is mistyped nothing would ever be read; what is missing below it may come yet.
core::Status check_root(const char* flag, const std::filesystem::path& root) {
  std::error_code error;
  if (std::filesystem::is_directory(root, error)) return {};
  return core::errno_error(error ? error.value() : ENOTDIR, flag + ('=' + root.string()));
}

core::Status check_reading(const Options& options, const config::Config& config) {
  if (auto status = check_root("--path.sysfs", options.roots.sys); !status) return status;
  if (auto status = check_root("--path.procfs", options.roots.proc); !status) return status;
  return host::check_options(make_collect_options(options, config));
}

}  // namespace

core::Status check_start(const Options& options, const config::Config& config) {
  if (auto status = check_reading(options, config); !status) return status;
  if (const std::string& file = config.probes.key_file; !file.empty()) {
    if (const auto keys = probes::read_key_file(file); !keys)
      return tl::make_unexpected(keys.error());
  }
  return {};
}

core::Status run_daemon(const Options& options, const config::Config& config, AppParts parts) {
  if (auto status = check_start(options, config); !status) return status;
  App app(options, config, parts);
  return app.serve(std::move(parts.sockets));
}

core::Status run_once(const Options& options, const config::Config& config, AppParts parts) {
  if (auto status = check_reading(options, config); !status) return status;
  parts.launch = host::launch_here;  // there is no second read that would find the answers
  return App(options, config, parts).print_once();
}

}  // namespace rdmadiag::daemon
