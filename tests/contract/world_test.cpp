// Below main the world is an argument: no path of the live system, no clock of its own, no process
// spawned.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/contract/source_tree.h"

namespace rdmadiag::test {
namespace {

// Where the programs meet the world.
bool may_name_paths(const std::string& path) {
  const std::vector<std::string> allowed = {"agent/daemon/main.cpp", "agent/daemon/options.cpp",
                                            "agent/cli/main.cpp", "agent/cli/options.cpp"};
  return std::find(allowed.begin(), allowed.end(), path) != allowed.end();
}

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

bool holds_any(const std::string& line, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return line.find(word) != std::string::npos; });
}

template <class Wrong>
void check_lines(const Wrong& wrong) {
  for (const SourceFile& file : source_files())
    for (std::size_t i = 0; i < file.lines.size(); ++i)
      if (wrong(file, without_comment(file.lines[i])))
        FAIL_CHECK(file.path << ':' << i + 1 << ": " << file.lines[i]);
}

TEST_CASE("no path of the live system below main") {
  check_lines([](const SourceFile& file, const std::string& line) {
    return !may_name_paths(file.path) &&
           holds_any(line, {"\"/sys/", "\"/sys\"", "\"/proc/", "\"/proc\"", "\"/dev/", "\"/dev\""});
  });
}

TEST_CASE("no clock but the one that is handed in") {
  check_lines([](const SourceFile& file, const std::string& line) {
    return file.path != "agent/core/clock.h" &&
           holds_any(line, {"clock::now(", "clock_gettime(", "gettimeofday(", " time(nullptr)"});
  });
}

TEST_CASE("no process is spawned") {
  check_lines([](const SourceFile&, const std::string& line) {
    return holds_any(line, {"popen(", " system(\"", " system(c", "std::system(", "execv",
                            "posix_spawn", " fork("});
  });
}

}  // namespace
}  // namespace rdmadiag::test
