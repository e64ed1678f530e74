#include "agent/host/replace_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/sample_tree.h"

namespace rdmadiag::host {
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
  REQUIRE(replace_file(file, 0644, "one\n"));
  CHECK(read(file) == "one\n");
  REQUIRE(replace_file(file, 0644, "two\n"));
  CHECK(read(file) == "two\n");
  CHECK(entries_of(folder.path()) == 1);
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0644);
}

TEST_CASE("who has the old file open keeps reading the old content") {
  const test::TempDir folder;
  const fs::path file = folder.path() / "rdma.prom";
  REQUIRE(replace_file(file, 0644, std::string(100'000, 'a')));
  std::ifstream open_before(file, std::ios::binary);
  REQUIRE(replace_file(file, 0644, "b"));
  const std::string seen(std::istreambuf_iterator<char>(open_before), {});
  CHECK(seen == std::string(100'000, 'a'));
}

TEST_CASE("a failure says why, leaves nothing behind and keeps what was there") {
  const test::TempDir folder;
  const fs::path nowhere = folder.path() / "nowhere" / "rdma.prom";
  const auto missing = replace_file(nowhere, 0644, "x");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message() ==
        "creating a file beside " + nowhere.string() + ": No such file or directory");

  const fs::path taken = folder.path() / "taken";
  fs::create_directories(taken / "inside");
  const auto in_the_way = replace_file(taken, 0644, "x");
  REQUIRE_FALSE(in_the_way);
  CHECK(in_the_way.error().message() == "replacing " + taken.string() + ": it is no regular file");
  CHECK(entries_of(folder.path()) == 1);
}

TEST_CASE("whether a file can be replaced is known without replacing it") {
  const test::TempDir folder;
  const fs::path file = folder.path() / "page.html";
  CHECK(can_replace(file));
  CHECK(entries_of(folder.path()) == 0);
  REQUIRE(replace_file(file, 0644, "old"));
  CHECK(can_replace(file));
  CHECK(read(file) == "old");
  CHECK_FALSE(can_replace(folder.path() / "nowhere" / "page.html"));
}

TEST_CASE("a device or a pipe is not replaced, and a link stays a link") {
  const test::TempDir folder;
  const fs::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const auto refused = replace_file(pipe, 0644, "x");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() == "replacing " + pipe.string() + ": it is no regular file");
  CHECK(fs::is_fifo(pipe));
  CHECK_FALSE(can_replace(pipe));

  const fs::path file = folder.path() / "file";
  const fs::path link = folder.path() / "link";
  REQUIRE(replace_file(file, 0600, "old"));
  fs::create_symlink("file", link);
  REQUIRE(replace_file(link, 0600, "new"));
  CHECK(fs::is_symlink(link));
  CHECK(read(file) == "new");
  fs::remove(file);
  CHECK_FALSE(replace_file(link, 0600, "x"));  // leads nowhere
}

}  // namespace
}  // namespace rdmadiag::host
