// A whole small file, or one clear line why not.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "agent/core/result.h"

namespace rdmadiag::exporters {

// Regular files only: a FIFO or a device would block the caller. Above `limit` bytes is an error.
[[nodiscard]] core::Result<std::string> read_bounded_file(const std::filesystem::path& path,
                                                          std::size_t limit);

}  // namespace rdmadiag::exporters
