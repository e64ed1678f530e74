// A file written so that readers see the old content or the new one, never a part.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string_view>

#include "agent/core/result.h"

namespace rdmadiag::host {

// `fill` writes to the descriptor of a file beside the target, which then takes its name; on
// failure nothing is left and the old file stays. A link is followed; what is no regular file is
// refused.
[[nodiscard]] core::Status replace_file(const std::filesystem::path& path, mode_t mode,
                                        const std::function<core::Status(int descriptor)>& fill);

[[nodiscard]] core::Status replace_file(const std::filesystem::path& path, mode_t mode,
                                        std::string_view content);

// Why that would fail now, without doing it: before work whose result would have nowhere to go.
[[nodiscard]] core::Status can_replace(const std::filesystem::path& path);

}  // namespace rdmadiag::host
