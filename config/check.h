// What single texts of the configuration must be: a regular expression, an address, a file that is
// there. Each check says in words what is wrong, or nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "config/schema.h"

namespace rdmadiag::config {

// Asked whether a file can be used; `secret`: others must not be able to read it.
using FileCheck =
    std::function<std::optional<std::string>(const std::filesystem::path& path, bool secret)>;

// Opens the file the way its user will.
[[nodiscard]] std::optional<std::string> check_file(const std::filesystem::path& path, bool secret);

// For every kind but the files.
[[nodiscard]] std::optional<std::string> check_text(std::string_view text, TextKind kind);

[[nodiscard]] std::optional<std::string> check_label_name(std::string_view name);

}  // namespace rdmadiag::config
