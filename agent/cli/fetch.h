// One HTTP GET, for what another host's agent says.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "agent/core/result.h"

namespace rdmadiag::cli {

struct FetchLimits {
  std::size_t bytes = 64 * 1024 * 1024;  // unpacked
  std::chrono::milliseconds time{10'000};
};

// Only http and https; redirects are not followed. What goes beyond the limits, and any status but
// 200, is an error that names the URL.
[[nodiscard]] core::Result<std::string> fetch_url_within(const std::string& url,
                                                         const FetchLimits& limits);
[[nodiscard]] core::Result<std::string> fetch_url(const std::string& url);

}  // namespace rdmadiag::cli
