// Prometheus' target groups, the format of file_sd and http_sd:
// [{"targets": ["host:port"], "labels": {"leaf": "leaf-12"}}], as JSON or YAML.
#pragma once

#include <cstddef>
#include <string_view>

#include "agent/core/result.h"
#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

constexpr std::size_t kMaxTargetText = std::size_t{16} << 20;

enum class TargetFormat { kJson, kYaml };

// An error when the text is not of that shape; a single bad target or label only loses itself and
// becomes the reading's problem.
[[nodiscard]] core::Result<SourceReading> parse_target_groups(std::string_view text,
                                                              TargetFormat format);

}  // namespace rdmadiag::probes
