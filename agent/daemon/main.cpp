#include <malloc.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "agent/core/log.h"
#include "agent/daemon/app.h"
#include "agent/daemon/event_loop.h"
#include "agent/daemon/log_sink.h"
#include "agent/daemon/options.h"
#include "agent/daemon/service.h"
#include "agent/host/descriptor_limit.h"
#include "agent/host/process_limits.h"
#include "config/load.h"
#include "exporters/web_config_watch.h"

namespace rdmadiag::daemon {
namespace {

// Few threads allocate little: an arena each would cost more memory than it saves time.
void limit_memory() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

tl::expected<config::Config, std::vector<std::string>> load_config(const Options& options) {
  if (options.config_file.empty()) return config::Config{};
  return config::load_config(options.config_file);
}

// The configuration's problems, then the first of what else would keep the daemon from starting.
std::vector<std::string> config_problems(const Options& options) {
  std::vector<std::string> problems;
  auto config = load_config(options);
  if (!config) {
    problems = std::move(config.error());
  } else if (const auto status = check_start(options, *config); !status) {
    problems.push_back(status.error().message());
  }
  if (options.web_config_file) {
    const auto web = exporters::load_web_policy(*options.web_config_file);
    if (!web) problems.push_back(web.error().message());
  }
  return problems;
}

int check_config(const Options& options) {
  if (options.config_file.empty() && !options.web_config_file) {
    std::fputs("rdmadiagd: --config.check wants --config.file or --web.config.file\n", stderr);
    return kExitUsage;
  }
  const std::vector<std::string> problems = config_problems(options);
  for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (!problems.empty()) return kExitFailure;
  if (!options.config_file.empty()) std::printf("%s: fine\n", options.config_file.c_str());
  if (options.web_config_file) std::printf("%s: fine\n", options.web_config_file->c_str());
  return EXIT_SUCCESS;
}

int cannot_start(const std::string& cause) {
  core::log_error("cannot start", {{"cause", cause}});
  return kExitFailure;
}

std::string first_of(const std::vector<std::string>& problems) {
  if (problems.size() == 1) return problems.front();
  return problems.front() + " (and " + std::to_string(problems.size() - 1) +
         " more: see --config.check)";
}

std::string hostname() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

int run(const Options& options, std::shared_ptr<const core::Clock> clock) {
  const auto config = load_config(options);
  if (!config) return cannot_start(first_of(config.error()));
  AppParts parts{.clock = std::move(clock),
                 .own_proc = "/proc",
                 .hostname = hostname(),
                 .random = probes::random_from_system(),
                 .limits = host::read_process_limits(),
                 .sockets = {}};
  if (!options.once) {
    auto sockets = inherited_sockets();
    if (!sockets) return cannot_start(sockets.error().message());
    parts.sockets = std::move(*sockets);
  }
  const auto ended = options.once ? run_once(options, *config, std::move(parts))
                                  : run_daemon(options, *config, std::move(parts));
  return ended ? EXIT_SUCCESS : cannot_start(ended.error().message());
}

int main(int argc, char** argv) {
  limit_memory();
  host::raise_descriptor_limit();
  auto options = parse_options(argc, argv);
  if (!options) {
    std::fputs(options.error().text.c_str(), options.error().code == 0 ? stdout : stderr);
    return options.error().code;
  }
  if (options->check_config) return check_config(*options);
  std::signal(SIGPIPE, SIG_IGN);
  if (!options->once) block_signals({SIGTERM, SIGINT, SIGHUP});
  const auto clock = std::make_shared<core::SystemClock>();
  // Never destroyed: a reader that is stuck in a device may outlive main and still have a word.
  static core::LogSink* const sink =
      make_log_sink({.level = options->log_level,
                     .format = options->log_format,
                     .to_journal = is_journal(STDERR_FILENO, std::getenv("JOURNAL_STREAM"))},
                    clock)
          .release();
  core::set_log_sink(sink);
  return run(*options, clock);
}

}  // namespace
}  // namespace rdmadiag::daemon

int main(int argc, char** argv) { return rdmadiag::daemon::main(argc, argv); }
