// The one spelling that a path has in a capture, so that what is asked for again is found again.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rdmadiag::host {

// "sys/class//net/./a/../b/" → "sys/class/net/b". By the letters alone: links are not followed, so
// whoever records and whoever replays see the same. Nothing for a path that is empty or leads above
// its first component ("sys/../etc"): such a file is none of the capture's.
[[nodiscard]] std::optional<std::string> capture_path(std::string_view path);

}  // namespace rdmadiag::host
