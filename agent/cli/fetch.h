// One HTTP GET, for what another host's agent says.
#pragma once

#include <string>

#include "agent/core/result.h"

namespace rdmadiag::cli {

// Only http and https; redirects are not followed. At most 10 seconds and 64 MiB; any status but
// 200 is an error.
[[nodiscard]] core::Result<std::string> fetch_url(const std::string& url);

}  // namespace rdmadiag::cli
