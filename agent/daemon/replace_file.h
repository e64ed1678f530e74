// A file written so that readers see the old content or the new one, never a part.
#pragma once

#include <filesystem>
#include <string_view>

#include "agent/core/result.h"

namespace rdmadiag::daemon {

// Mode 0644, beside the target until it takes its name; on failure nothing is left and the old file
// stays.
[[nodiscard]] core::Status replace_file(const std::filesystem::path& path,
                                        std::string_view content);

}  // namespace rdmadiag::daemon
