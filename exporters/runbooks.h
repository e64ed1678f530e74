// The runbooks of docs/runbooks, built into the programs: at three in the morning the page about a
// finding must be there, whatever else is not.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace rdmadiag::exporters {

struct EmbeddedText {
  std::string_view name;  // "link-down"
  std::string_view text;  // Markdown
};

[[nodiscard]] std::span<const EmbeddedText> all_runbooks();
[[nodiscard]] std::optional<std::string_view> find_runbook(std::string_view rule);

}  // namespace rdmadiag::exporters
