#include "agent/cli/mesh_words.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace rdmadiag::cli {

std::string short_time(double seconds) {
  const auto digits = [](double value, const char* unit) {
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f}{}", value, decimals, unit);
  };
  if (seconds < 1e-3) return digits(seconds * 1e6, "us");
  if (seconds < 1) return digits(seconds * 1e3, "ms");
  return digits(seconds, "s");
}

std::string ago(const std::optional<core::SystemTime>& when, core::SystemTime now) {
  if (!when) return "never";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - *when).count();
  if (seconds <= 0) return "now";
  if (seconds < 120) return std::to_string(seconds) + " s ago";
  if (seconds < 7200) return std::to_string(seconds / 60) + " min ago";
  return std::to_string(seconds / 3600) + " h ago";
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent < 0.1) return "<0.1%";
  return fmt::format("{:.{}f}%", percent, percent < 10 ? 1 : 0);
}

nlohmann::json unix_seconds(const std::optional<core::SystemTime>& when) {
  if (!when) return nullptr;
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(when->time_since_epoch());
  return static_cast<double>(micros.count()) / 1e6;
}

nlohmann::json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace rdmadiag::cli
