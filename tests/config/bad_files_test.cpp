// Every file of tests/config/bad breaks one rule. Its "# wants: " lines are the problems, all of
// them and in this order.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "config/load.h"

namespace rdmadiag::config {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> fake_files(const fs::path& path, bool secret) {
  if (path == "/etc/rdmadiag/present.pem") return std::nullopt;
  if (path == "/etc/rdmadiag/open.key" && secret)
    return path.string() + ": holds a secret and is open to others (chmod 600)";
  return path.string() + ": No such file or directory";
}

std::set<fs::path> bad_files() {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(RDMADIAG_SOURCE_DIR "/tests/config/bad"))
    files.insert(entry.path());
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string wanted_lines(const std::string& text) {
  constexpr std::string_view kMark = "# wants: ";
  std::istringstream stream(text);
  std::string lines;
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(kMark)) lines += line.substr(kMark.size()) + '\n';
  return lines;
}

std::string problem_lines(const std::string& text) {
  const auto config = parse_config(text, "/etc/rdmadiag", fake_files);
  if (config) return "accepted";
  std::string lines;
  for (const core::Problem& problem : config.error())
    lines += core::format_problem("", problem).substr(1) + '\n';
  return lines;
}

TEST_CASE("each broken rule is reported in its exact words, with all others of the file") {
  const auto files = bad_files();
  REQUIRE(files.size() >= 28);
  for (const fs::path& file : files) {
    const std::string text = read(file);
    INFO(file.filename().string());
    CHECK(problem_lines(text) == wanted_lines(text));
  }
}

}  // namespace
}  // namespace rdmadiag::config
