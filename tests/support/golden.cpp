#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

namespace rdmadiag::test {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(std::string_view text) {
  Lines lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::optional<std::string> content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void append_lines(std::string& out, std::string_view mark, std::span<const std::string> lines) {
  constexpr std::size_t kMaxLines = 40;
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    out.append(mark).append(lines[i]).append("\n");
  }
  if (lines.size() > kMaxLines) out.append(mark).append("…\n");
}

// The region between the common beginning and the common end.
std::string difference(const Lines& expected, const Lines& actual) {
  const auto [first_expected, first_actual] =
      std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
  const auto begin = static_cast<std::size_t>(first_expected - expected.begin());
  const std::size_t shorter = std::min(expected.size(), actual.size()) - begin;
  std::size_t same_end = 0;
  while (same_end < shorter &&
         expected[expected.size() - 1 - same_end] == actual[actual.size() - 1 - same_end]) {
    ++same_end;
  }
  std::string out = "line " + std::to_string(begin + 1) + ":\n";
  append_lines(out, "-", std::span(expected).subspan(begin, expected.size() - same_end - begin));
  append_lines(out, "+", std::span(actual).subspan(begin, actual.size() - same_end - begin));
  return out;
}

}  // namespace

std::string golden_difference(std::string_view name, std::string_view actual) {
  const std::filesystem::path path = std::filesystem::path(RDMADIAG_FIXTURES) / "golden" / name;
  if (std::getenv("RDMADIAG_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return {};
  }
  const std::optional<std::string> expected = content_of(path);
  if (!expected) return "no golden file " + std::string(name);
  if (*expected == actual) return {};
  return std::string(name) + ", " + difference(lines_of(*expected), lines_of(actual));
}

}  // namespace rdmadiag::test
