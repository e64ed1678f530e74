// What a command works with: everything outside the program comes in here, from main or from a
// test.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "agent/cli/trace_socket.h"
#include "agent/core/clock.h"
#include "agent/core/process_limits.h"
#include "agent/core/result.h"
#include "agent/host/address_reader.h"
#include "agent/host/device_source.h"
#include "agent/host/file_reader.h"
#include "agent/host/netlink_source.h"
#include "agent/host/sysfs.h"
#include "exporters/table.h"
#include "probes/http_client.h"

namespace rdmadiag::cli {

using core::ProcessLimits;

struct HttpCall {
  std::string url;
  std::optional<std::string> json = {};  // to be posted; empty: GET
  probes::HttpClientTls tls = {};
};

struct World {
  std::shared_ptr<const core::Clock> clock;
  std::shared_ptr<host::FileReader> files;
  // The live host's; not called when a capture or another root is looked at.
  std::function<std::shared_ptr<host::NetlinkSource>()> make_netlink;
  // Of this machine's kernel, beside sysfs and RDMA netlink; may be empty.
  std::function<std::vector<host::DeviceSourceFactory>()> make_sources;
  host::AddressReader addresses;  // the live host's; may be empty
  host::Roots roots;
  std::string hostname;
  std::string config_file;  // where the daemon's configuration is when nobody says
  ProcessLimits limits;
  std::ostream* out = nullptr;  // results
  std::ostream* err = nullptr;  // everything else
  exporters::TerminalStyle style;
  bool out_is_terminal = false;
  std::function<bool()> out_is_closed;  // nobody reads `out` any more: `rdmadiag … | head`
  // Waits that long; false when the user does not want to wait any more.
  std::function<bool(std::chrono::nanoseconds)> wait;
  // Datagrams with a short life; null where nothing may be sent.
  std::function<core::Result<std::unique_ptr<probes::TraceNetwork>>(const TraceEnds& ends)> trace;
  // The body of the answer, bounded in size and time. Sixteen threads may call at once.
  std::function<core::Result<std::string>(const HttpCall& call)> fetch;
};

// Options that every command takes.
struct GlobalOptions {
  bool json = false;
  std::string sysfs;   // a root other than the live host's, or a capture; empty for the live host
  std::string procfs;  // empty: beside sysfs
  std::vector<std::string> include;
  std::vector<std::string> exclude;
};

struct Context {
  World& world;
  GlobalOptions options;

  [[nodiscard]] std::ostream& out() const { return *world.out; }
  [[nodiscard]] std::ostream& err() const { return *world.err; }
};

// Exit codes of every command.
inline constexpr int kExitFine = 0;
inline constexpr int kExitWarning = 1;
inline constexpr int kExitCritical = 2;
inline constexpr int kExitUnknown = 3;
inline constexpr int kExitUsage = 64;

}  // namespace rdmadiag::cli
