// docs/metrics.md against the program: the catalogue's table is what the command prints, and every
// name an exporter writes has its row.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/cli/cli_fixture.h"

using namespace rdmadiag;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

}  // namespace

TEST_CASE("the table of kernel counters in docs/metrics.md is the catalogue's") {
  const std::string page = read_file(RDMADIAG_SOURCE_DIR "/docs/metrics.md");
  test::CliFixture cli;
  const std::string table = cli.run({"metrics", "--markdown"}).out;
  REQUIRE(table.size() > 10'000);
  // Compared line by line, so that a failure says which.
  const auto rows = matches(table, "(\\| rdma_[^\n]*)\n");
  for (const std::string& row : rows) {
    INFO(row);
    CHECK(page.find(row) != std::string::npos);
  }
  CHECK(page.ends_with(table));
}

TEST_CASE("docs/metrics.md has a row for every name the exporters write") {
  const std::string page = read_file(RDMADIAG_SOURCE_DIR "/docs/metrics.md");
  const auto rows = matches(page, "\n\\| ((?:rdma|rdmadiag|process)_[a-z0-9_]+) \\|");
  std::size_t families = 0;
  for (const char* golden : {"full", "probes"}) {
    const std::string text =
        read_file(RDMADIAG_FIXTURES "/golden/" + std::string(golden) + "/metrics.prom");
    for (const std::string& name : matches(text, "# TYPE ((?:rdma|rdmadiag|process)_\\S+) ")) {
      ++families;
      INFO(name);
      CHECK(rows.contains(name));
    }
  }
  CHECK(families > 80);
  // Families that no golden host has; what is no family is no metric's name either.
  const std::set<std::string> other = {"rdma_netlink", "rdma_rxe"};
  for (const auto& entry : std::filesystem::directory_iterator(RDMADIAG_SOURCE_DIR "/exporters")) {
    if (entry.path().extension() != ".cpp") continue;
    for (const std::string& name :
         matches(read_file(entry.path()), "\"((?:rdma|rdmadiag|process)_[a-z0-9_]+)\"")) {
      INFO(entry.path().filename().string() << " " << name);
      CHECK((page.find("| " + name) != std::string::npos || other.contains(name)));
    }
  }
}
