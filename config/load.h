// The configuration file as a Config, or everything that is wrong with it at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "agent/core/strict_reader.h"
#include "config/check.h"
#include "config/config.h"

namespace rdmadiag::config {

// `folder` is what relative paths in the text are relative to. Problems come in line order.
[[nodiscard]] tl::expected<Config, core::Problems> parse_config(std::string_view text,
                                                                const std::filesystem::path& folder,
                                                                const FileCheck& check);

// Each string is one line, ready to print: "rdmadiag.yaml:12: probes.ud.timout: unknown key (…)".
[[nodiscard]] tl::expected<Config, std::vector<std::string>> load_config(
    const std::filesystem::path& file, const FileCheck& check = check_file);

}  // namespace rdmadiag::config
