// The command line of rdmadiagd: where to read, where and how to listen. What to do is the
// configuration file's; only device filters and sources are in both, and flags win.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "agent/core/log.h"
#include "agent/core/snapshot.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::daemon {

enum class LogFormat { kLogfmt, kJson };

struct Options {
  host::Roots roots;
  std::filesystem::path config_file;          // empty: defaults
  std::vector<std::string> listen_addresses;  // empty: the default one, or inherited sockets
  std::optional<std::filesystem::path> web_config_file;
  bool enable_lifecycle = false;            // POST /-/reload
  std::vector<std::string> device_include;  // empty: the file's
  std::vector<std::string> device_exclude;
  std::map<core::Source, bool> sources;  // those that were named
  core::LogLevel log_level = core::LogLevel::kInfo;
  LogFormat log_format = LogFormat::kLogfmt;
  bool check_config = false;
  bool once = false;
  std::filesystem::path output;  // empty: stdout
};

// Ends the program at once: --help, --version, or a usage error.
struct EarlyExit {
  int code = 0;
  std::string text;  // for stdout when the code is 0, else for stderr
};

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

[[nodiscard]] tl::expected<Options, EarlyExit> parse_options(int argc, const char* const* argv);

// Every flag as it is written, "--web.listen-address", for the manual's test.
[[nodiscard]] std::vector<std::string> option_names();

}  // namespace rdmadiag::daemon
