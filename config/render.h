// A Config as the file that says it: every key, in file order. Reading it back gives the same
// Config.
#pragma once

#include <string>

#include "config/config.h"

namespace rdmadiag::config {

[[nodiscard]] std::string render_config(const Config& config);

}  // namespace rdmadiag::config
