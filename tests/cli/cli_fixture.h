// Runs rdmadiag in this process on a folder that a test fills: what it prints and its exit code.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/cli/world.h"
#include "tests/support/manual_clock.h"
#include "tests/support/sample_tree.h"

namespace rdmadiag::test {

struct CliResult {
  int code = -1;
  std::string out;
  std::string err;
};

struct CliFixture {
  explicit CliFixture(std::string_view case_name) : tree(case_name) {}
  CliFixture() = default;

  SampleTree tree;
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>();
  std::shared_ptr<host::NetlinkSource> netlink;  // null: nobody to ask
  host::AddressReader addresses;                 // the same
  cli::ProcessLimits limits;
  exporters::TerminalStyle style{.width = 100, .colour = false, .utf8 = true};
  bool out_is_terminal = false;
  // Called instead of waiting; false ends a --watch.
  std::function<bool(std::chrono::nanoseconds)> during_wait = [](auto) { return false; };
  // Instead of sending anything; none: trace is not used.
  decltype(cli::World::trace) trace;
  std::map<std::string, std::string> pages;  // what URLs answer
  // Instead of the pages, when set.
  std::function<core::Result<std::string>(const cli::HttpCall&)> answer_call;

  // The live host is the tree.
  [[nodiscard]] CliResult run(const std::vector<std::string>& arguments);
};

// A NetlinkSource that refuses every call with this errno.
[[nodiscard]] std::shared_ptr<host::NetlinkSource> refusing_netlink(int error_number);

}  // namespace rdmadiag::test
