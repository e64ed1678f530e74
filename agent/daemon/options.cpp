#include "agent/daemon/options.h"

#include <CLI/CLI.hpp>
#include <sstream>

#include "agent/core/version.h"

namespace rdmadiag::daemon {
namespace {

// What CLI11 writes to, before it is turned into Options.
struct Arguments {
  Options options;
  std::string sysfs = "/sys";
  std::string procfs = "/proc";
  std::string config_file;
  std::string web_config_file;
  std::string output;
  std::string log_level = "info";
  std::string log_format = "logfmt";
};

void add_source_flags(CLI::App& app, Options& options) {
  for (std::size_t i = 0; i < core::kSourceCount; ++i) {
    const auto source = static_cast<core::Source>(i);
    if (source == core::Source::kProbe) continue;
    const std::string name(core::source_name(source));
    const auto set = [&options, source](std::int64_t count) {
      options.sources[source] = count > 0;
    };
    app.add_flag_function("--collector." + name + ",!--no-collector." + name, set,
                          "Read the source " + name + ", or do not");
  }
}

void add_flags(CLI::App& app, Arguments& arguments) {
  Options& options = arguments.options;
  app.add_option("--config.file", arguments.config_file, "Configuration file; defaults without one")
      ->type_name("FILE");
  app.add_flag("--config.check", options.check_config,
               "Print every problem of the configuration and exit");
  app.add_option("--path.sysfs", arguments.sysfs, "Where sysfs is mounted")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--path.procfs", arguments.procfs, "Where procfs is mounted")
      ->type_name("DIR")
      ->capture_default_str();
  add_source_flags(app, options);
  app.add_option("--device.include", options.device_include,
                 "Devices to read, a regular expression over the whole name; may be repeated")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--device.exclude", options.device_exclude,
                 "Devices to leave alone; may be repeated")
      ->type_name("REGEX")
      ->allow_extra_args(false);
  app.add_option("--web.listen-address", options.listen_addresses,
                 "Address to serve on, host:port; may be repeated (default :10915)")
      ->type_name("ADDRESS")
      ->allow_extra_args(false);
  app.add_option("--web.config.file", arguments.web_config_file,
                 "TLS and users, in the exporter-toolkit's format")
      ->type_name("FILE");
  app.add_flag("--web.enable-lifecycle", options.enable_lifecycle, "Allow POST /-/reload");
  app.add_option("--log.level", arguments.log_level, "Least severe messages to write")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->type_name("LEVEL")
      ->capture_default_str();
  app.add_option("--log.format", arguments.log_format, "Form of the messages")
      ->check(CLI::IsMember({"logfmt", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  CLI::Option* once =
      app.add_flag("--once", options.once, "Print one exposition and exit, serve nothing");
  app.add_option("--output", arguments.output,
                 "With --once: replace this file in one step instead of printing")
      ->type_name("FILE")
      ->needs(once);
}

void set_up(CLI::App& app, Arguments& arguments) {
  app.name("rdmadiagd");
  app.set_version_flag("--version", "rdmadiagd " + std::string(core::kVersion) + " (" +
                                        std::string(core::kRevision) + ")");
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  add_flags(app, arguments);
}

Options finish(Arguments& arguments) {
  Options& options = arguments.options;
  options.roots = {arguments.sysfs, arguments.procfs, "/dev"};
  options.config_file = arguments.config_file;
  if (!arguments.web_config_file.empty()) options.web_config_file = arguments.web_config_file;
  options.output = arguments.output;
  options.log_level = core::parse_log_level(arguments.log_level).value();
  options.log_format = arguments.log_format == "json" ? LogFormat::kJson : LogFormat::kLogfmt;
  return std::move(options);
}

constexpr const char* kDescription =
    "Watches this host's RDMA devices and serves what it sees to Prometheus.";

}  // namespace

tl::expected<Options, EarlyExit> parse_options(int argc, const char* const* argv) {
  CLI::App app(kDescription);
  Arguments arguments;
  set_up(app, arguments);
  try {
    app.parse(argc, argv);
    return finish(arguments);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const bool asked = app.exit(error, out, err) == 0;
    return tl::make_unexpected(asked ? EarlyExit{0, out.str()} : EarlyExit{kExitUsage, err.str()});
  }
}

std::vector<std::string> option_names() {
  CLI::App app(kDescription);
  Arguments arguments;
  set_up(app, arguments);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace rdmadiag::daemon
