// How the mesh commands print times and losses.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "agent/core/clock.h"

namespace rdmadiag::cli {

// "12.3us", "4.56ms", "1.20s": three digits that count.
[[nodiscard]] std::string short_time(double seconds);
// "3 s ago", "5 min ago", "never"; a time to come, by a clock that differs, is "now".
[[nodiscard]] std::string ago(const std::optional<core::SystemTime>& when, core::SystemTime now);
// "2.5%", "<0.1%"; of none sent "0%".
[[nodiscard]] std::string share(std::uint64_t part, std::uint64_t whole);

[[nodiscard]] nlohmann::json unix_seconds(const std::optional<core::SystemTime>& when);
[[nodiscard]] nlohmann::json number_or_null(const std::optional<double>& value);

}  // namespace rdmadiag::cli
