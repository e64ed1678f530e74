#include "agent/daemon/options.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace rdmadiag::daemon {
namespace {

tl::expected<Options, EarlyExit> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "rdmadiagd");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

TEST_CASE("without flags the options are the documented defaults") {
  const Options options = parse({}).value();
  CHECK(options.roots.sys == "/sys");
  CHECK(options.roots.proc == "/proc");
  CHECK(options.config_file.empty());
  CHECK(options.listen_addresses.empty());
  CHECK_FALSE(options.web_config_file);
  CHECK_FALSE(options.enable_lifecycle);
  CHECK(options.sources.empty());
  CHECK(options.log_level == core::LogLevel::kInfo);
  CHECK_FALSE(options.once);
}

TEST_CASE("flags reach their options, repeated ones add up") {
  const Options options =
      parse({"--path.sysfs=/host/sys", "--path.procfs", "/host/proc", "--config.file", "a.yaml",
             "--web.listen-address=127.0.0.1:1", "--web.listen-address", "[::1]:2",
             "--web.config.file=web.yml", "--web.enable-lifecycle", "--device.include=mlx5_.*",
             "--device.include=rxe.*", "--device.exclude=mlx5_an0", "--no-collector.ethtool",
             "--collector.dcb", "--log.level=debug", "--log.format=json"})
          .value();
  CHECK(options.roots.sys == "/host/sys");
  CHECK(options.roots.proc == "/host/proc");
  CHECK(options.config_file == "a.yaml");
  CHECK(options.listen_addresses == std::vector<std::string>{"127.0.0.1:1", "[::1]:2"});
  CHECK(options.web_config_file == "web.yml");
  CHECK(options.enable_lifecycle);
  CHECK(options.device_include == std::vector<std::string>{"mlx5_.*", "rxe.*"});
  CHECK(options.device_exclude == std::vector<std::string>{"mlx5_an0"});
  CHECK(options.sources ==
        std::map<core::Source, bool>{{core::Source::kEthtool, false}, {core::Source::kDcb, true}});
  CHECK(options.log_level == core::LogLevel::kDebug);
  CHECK(options.log_format == LogFormat::kJson);
}

TEST_CASE("usage errors exit with 2 and name the flag") {
  const auto failure = [](std::vector<const char*> arguments) {
    const auto options = parse(std::move(arguments));
    REQUIRE_FALSE(options);
    CHECK(options.error().code == kExitUsage);
    return options.error().text;
  };
  CHECK(failure({"--web.listen-adress=:1"}).find("--web.listen-adress") != std::string::npos);
  CHECK(failure({"stray"}).find("stray") != std::string::npos);
  CHECK(failure({"--device.include"}).find("--device.include") != std::string::npos);
  CHECK(failure({"--device.include", "a", "b"}).find("b") != std::string::npos);
  CHECK(failure({"--log.level=loud"}).find("loud") != std::string::npos);
  CHECK(failure({"--output=x"}).find("--once") != std::string::npos);
  CHECK(failure({"--no-collector.nothing"}).find("--no-collector.nothing") != std::string::npos);
  CHECK(failure({"--path.sysfs=/a", "--path.sysfs=/b"}).find("--path.sysfs") != std::string::npos);
}

TEST_CASE("help and version are answers, not errors") {
  const auto help = parse({"--help"});
  REQUIRE_FALSE(help);
  CHECK(help.error().code == 0);
  CHECK(help.error().text.find("--web.listen-address") != std::string::npos);
  const auto version = parse({"--version"});
  REQUIRE_FALSE(version);
  CHECK(version.error().code == 0);
  CHECK(version.error().text.starts_with("rdmadiagd "));
}

TEST_CASE("every flag is listed by its name") {
  const auto names = option_names();
  for (const char* name : {"--help", "--once", "--config.file", "--collector.pcie",
                           "--no-collector.pcie", "--web.enable-lifecycle"})
    CHECK(std::count(names.begin(), names.end(), name) == 1);
}

}  // namespace
}  // namespace rdmadiag::daemon
