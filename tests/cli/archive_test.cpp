#include "agent/cli/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/sample_tree.h"

using namespace rdmadiag;
using cli::ArchiveMember;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A tar with one file under a name our own writer would never use.
void write_tar(const std::string& path, const char* name) {
  ::archive* out = archive_write_new();
  archive_write_set_format_pax_restricted(out);
  REQUIRE(archive_write_open_filename(out, path.c_str()) == ARCHIVE_OK);
  ::archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, name);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_size(entry, 1);
  REQUIRE(archive_write_header(out, entry) == ARCHIVE_OK);
  archive_write_data(out, "x", 1);
  archive_entry_free(entry);
  archive_write_free(out);
}

}  // namespace

TEST_CASE("members come back as they were") {
  test::TempDir directory;
  const std::string path = directory.path() / "a.tar.gz";
  const std::vector<ArchiveMember> members = {
      {"sys/a", "1\n", ""},
      {"sys/b with blank, comma", std::string("\0\xff\n", 3), ""},
      {"sys/empty", "", ""},
      {"sys/link", "", "../sys/a"}};
  REQUIRE(cli::write_archive(path, members));
  const auto read = cli::read_archive(path);
  REQUIRE(read);
  REQUIRE(read->size() == members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    CHECK((*read)[i].path == members[i].path);
    CHECK((*read)[i].content == members[i].content);
    CHECK((*read)[i].link_target == members[i].link_target);
  }
}

TEST_CASE("the same members give the same bytes, for the owner only") {
  test::TempDir directory;
  const std::vector<ArchiveMember> members = {{"sys/a", "1\n", ""}};
  REQUIRE(cli::write_archive(directory.path() / "a", members));
  REQUIRE(cli::write_archive(directory.path() / "b", members));
  CHECK(bytes_of(directory.path() / "a") == bytes_of(directory.path() / "b"));
  struct stat status {};
  REQUIRE(::stat((directory.path() / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("a failed write leaves nothing behind") {
  test::TempDir directory;
  std::filesystem::create_directory(directory.path() / "taken");
  std::ofstream(directory.path() / "taken/file") << "x";
  CHECK_FALSE(cli::write_archive(directory.path() / "taken", {{"sys/a", "1\n", ""}}));
  CHECK_FALSE(cli::write_archive(directory.path() / "no/such/folder", {{"sys/a", "1\n", ""}}));
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("names that lead out of the archive are refused") {
  test::TempDir directory;
  const std::string path = directory.path() / "bad.tar";
  for (const char* name : {"../a", "/etc/passwd", "sys/../../a", "sys/./a", "sys//a"}) {
    write_tar(path, name);
    const auto read = cli::read_archive(path);
    INFO(name);
    REQUIRE_FALSE(read);
    CHECK(read.error().message().find("bad name") != std::string::npos);
  }
}

TEST_CASE("a name that would not be read is not written") {
  test::TempDir directory;
  const std::string path = directory.path() / "a.tar.gz";
  for (const char* name : {"../a", "/etc/passwd", "sys/a/../b", "sys/./a", ""}) {
    INFO(name);
    const auto written = cli::write_archive(path, {{name, "x", ""}});
    REQUIRE_FALSE(written);
    CHECK(written.error().message().find("bad name") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("what is no archive is an error, not an empty one") {
  test::TempDir directory;
  const std::string path = directory.path() / "text";
  std::ofstream(path) << "not an archive at all, just some lines of text\n";
  CHECK_FALSE(cli::read_archive(path));
  CHECK_FALSE(cli::read_archive(directory.path() / "absent"));

  REQUIRE(cli::write_archive(path, {{"sys/a", std::string(100'000, 'x'), ""}}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  CHECK_FALSE(cli::read_archive(path));
}
