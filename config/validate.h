// What no single key can tell: keys that contradict each other, and those that must not be missing.
// Internal to the configuration.
#pragma once

#include "agent/core/strict_reader.h"
#include "config/config.h"

namespace rdmadiag::config {

// `root` is the tree the configuration was read from, for the lines.
void validate(const Config& config, const core::YamlNode& root, core::Problems& problems);

}  // namespace rdmadiag::config
