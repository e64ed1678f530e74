#include "config/load.h"

#include <algorithm>
#include <fstream>

#include "config/reader.h"
#include "config/validate.h"

namespace rdmadiag::config {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

// At most one byte more than the limit, so that the parser can say "too large".
std::optional<std::string> read_bounded(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

tl::expected<Config, core::Problems> parse_config(std::string_view text,
                                                  const std::filesystem::path& folder,
                                                  const FileCheck& check) {
  const auto tree = core::parse_yaml(text, {.bytes = kLargestFile});
  if (!tree)
    return tl::make_unexpected(core::Problems{{tree.error().line, "", tree.error().message}});
  core::Problems problems;
  Config config;
  ConfigReader reader(*tree, folder, check, problems);
  visit_config(reader, config);
  reader.finish();
  validate(config, *tree, problems);
  if (problems.empty()) return config;
  std::stable_sort(problems.begin(), problems.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return tl::make_unexpected(std::move(problems));
}

tl::expected<Config, std::vector<std::string>> load_config(const std::filesystem::path& file,
                                                           const FileCheck& check) {
  if (auto wrong = check_file(file, false)) return tl::make_unexpected(std::vector{*wrong});
  const auto text = read_bounded(file);
  if (!text) return tl::make_unexpected(std::vector{file.string() + ": cannot be read"});
  auto config = parse_config(*text, file.parent_path(), check);
  if (config) return std::move(*config);
  std::vector<std::string> lines;
  for (const core::Problem& problem : config.error())
    lines.push_back(core::format_problem(file.string(), problem));
  return tl::make_unexpected(std::move(lines));
}

}  // namespace rdmadiag::config
