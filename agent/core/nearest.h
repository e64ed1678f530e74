// "did you mean": the known name nearest to one that was mistyped.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rdmadiag::core {

// Insertions, deletions, substitutions and swaps of neighbours that lead from one to the other.
// Names longer than 64 bytes count as different in every byte.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

// The nearest of `known` when it is near enough to be meant (a third of its length); the first of
// several equally near.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      std::span<const std::string> known);

}  // namespace rdmadiag::core
