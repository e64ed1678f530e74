// rdmadiag: the real world around the commands.
#include <langinfo.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string_view>

#include "agent/cli/fetch.h"
#include "agent/cli/interrupt.h"
#include "agent/cli/run.h"
#include "agent/host/live_sources.h"
#include "agent/host/process_limits.h"
#include "agent/host/rdma_netlink.h"

namespace rdmadiag::cli {
namespace {

constexpr std::size_t kWidthWithoutTerminal = 100;
constexpr std::size_t kLeastWidth = 40;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kWidthWithoutTerminal;
  }
  return std::max<std::size_t>(size.ws_col, kLeastWidth);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool out_is_closed() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

std::string hostname() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

World real_world() {
  World world;
  world.clock = std::make_shared<core::SystemClock>();
  world.files = std::make_shared<host::SystemFileReader>();
  world.make_netlink = [] { return host::make_rdma_netlink("/proc"); };
  world.addresses = host::make_address_reader();
  world.make_sources = [] { return host::live_sources(host::launch_here); };
  world.roots = {"/sys", "/proc", "/dev"};
  world.hostname = hostname();
  world.config_file = "/etc/rdmadiag/rdmadiag.yaml";
  world.limits = host::read_process_limits();
  world.out = &std::cout;
  world.err = &std::cerr;
  world.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  world.out_is_closed = out_is_closed;
  world.style.width = world.out_is_terminal ? terminal_width() : kWidthWithoutTerminal;
  world.style.colour = world.out_is_terminal && wants_colour();
  world.style.utf8 = std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
  world.wait = wait_or_interrupt;
  world.trace = open_trace;
  world.fetch = fetch;
  return world;
}

}  // namespace
}  // namespace rdmadiag::cli

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "");
  // A reader that went away (`rdmadiag metrics | head`) is an error of write, not our death.
  std::signal(SIGPIPE, SIG_IGN);
  rdmadiag::cli::install_interrupt_handler();
  try {
    rdmadiag::cli::World world = rdmadiag::cli::real_world();
    return rdmadiag::cli::run(argc, argv, world);
  } catch (const std::exception& error) {
    std::cerr << "rdmadiag: " << error.what() << "\n";
    return rdmadiag::cli::kExitUnknown;
  }
}
