#include "agent/daemon/replace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/sample_tree.h"

namespace rdmadiag::daemon {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

TEST_CASE("a file is made or replaced, readable by others") {
  const test::TempDir folder;
  const fs::path file = folder.path() / "rdma.prom";
  REQUIRE(replace_file(file, "one\n"));
  CHECK(read(file) == "one\n");
  REQUIRE(replace_file(file, "two\n"));
  CHECK(read(file) == "two\n");
  CHECK(entries_of(folder.path()) == 1);
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0644);
}

TEST_CASE("who has the old file open keeps reading the old content") {
  const test::TempDir folder;
  const fs::path file = folder.path() / "rdma.prom";
  REQUIRE(replace_file(file, std::string(100'000, 'a')));
  std::ifstream open_before(file, std::ios::binary);
  REQUIRE(replace_file(file, "b"));
  const std::string seen(std::istreambuf_iterator<char>(open_before), {});
  CHECK(seen == std::string(100'000, 'a'));
}

TEST_CASE("a failure says why, leaves nothing behind and keeps what was there") {
  const test::TempDir folder;
  const fs::path nowhere = folder.path() / "nowhere" / "rdma.prom";
  const auto missing = replace_file(nowhere, "x");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message() ==
        "creating a file beside " + nowhere.string() + ": No such file or directory");

  const fs::path taken = folder.path() / "taken";
  fs::create_directories(taken / "inside");
  const auto in_the_way = replace_file(taken, "x");
  REQUIRE_FALSE(in_the_way);
  CHECK(in_the_way.error().message() ==
        "replacing " + taken.string() + ": renaming: Is a directory");
  CHECK(entries_of(folder.path()) == 1);
}

}  // namespace
}  // namespace rdmadiag::daemon
