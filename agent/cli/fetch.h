// One HTTP call over the network, for what another host's agent says.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "agent/cli/world.h"
#include "agent/core/result.h"

namespace rdmadiag::cli {

struct FetchLimits {
  std::size_t bytes = 64 * 1024 * 1024;  // unpacked
  std::chrono::milliseconds time{10'000};
};

// Only http and https; redirects are not followed, proxies not asked. What goes beyond the limits,
// and any status but 200, is an error that names the URL without a password in it. Any thread.
[[nodiscard]] core::Result<std::string> fetch_within(const HttpCall& call,
                                                     const FetchLimits& limits);
[[nodiscard]] core::Result<std::string> fetch(const HttpCall& call);

}  // namespace rdmadiag::cli
