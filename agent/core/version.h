// What this build calls itself.
#pragma once

#include <string_view>

namespace rdmadiag::core {

extern const std::string_view kVersion;   // "0.1.0"
extern const std::string_view kRevision;  // commit, or "unknown" outside a checkout

}  // namespace rdmadiag::core
