#include "probes/discovery/file_source.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/exporters/temp_folder.h"
#include "tests/probes/published.h"

using namespace rdmadiag::probes;
using namespace std::chrono_literals;

namespace {

std::string group(const std::string& target) { return R"([{"targets": [")" + target + "\"]}]"; }

}  // namespace

TEST_CASE("every file of every pattern counts once") {
  const TempFolder folder;
  const std::string root = folder.path();
  folder.write("a.json", group("a"));
  folder.write("b.yml", "- targets: [b]\n");
  folder.write("c.json", group("c"));
  const auto reading = FileSource({root + "/*.json", root + "/b.yml", root + "/a.json"}, 1h).read();
  REQUIRE(reading);
  CHECK(RunningSource::addresses_of(*reading) ==
        std::vector<std::string>{"a:10915", "c:10915", "b:10915"});
  CHECK(reading->problem.empty());
  const auto none = FileSource({root + "/none/*.json"}, 1h).read();
  REQUIRE(none);
  CHECK(none->peers.empty());
}

TEST_CASE("a bad file only loses its own targets") {
  const TempFolder folder;
  const std::string root = folder.path();
  folder.write("a.json", group("a"));
  const std::string bad = folder.write("b.json", "[{");
  const auto reading = FileSource({root + "/*.json"}, 1h).read();
  REQUIRE(reading);
  CHECK(RunningSource::addresses_of(*reading) == std::vector<std::string>{"a:10915"});
  CHECK(reading->problem == bad + ": not valid JSON");
}

TEST_CASE("when no file can be read the last list must stay, so it is an error") {
  const TempFolder folder;
  const std::string root = folder.path();
  CHECK(FileSource({root + "/none.json"}, 1h).read().error().message() ==
        "reading " + root + "/none.json: No such file or directory");
  REQUIRE(mkfifo((root + "/fifo.json").c_str(), 0600) == 0);
  CHECK(FileSource({root + "/*.json"}, 1h).read().error().message() ==
        "reading " + root + "/fifo.json: not a regular file");
}

TEST_CASE("changes are noticed without waiting for the refresh") {
  const TempFolder folder;
  const std::string root = folder.path();
  folder.write("a.json", group("a"));
  RunningSource source(
      std::make_unique<FileSource>(std::vector<std::string>{root + "/*.json"}, 24h));
  CHECK(source.wait_for_addresses({"a:10915"}));
  folder.write("a.json", group("a2"));
  CHECK(source.wait_for_addresses({"a2:10915"}));
  folder.write("b.json", group("b"));
  CHECK(source.wait_for_addresses({"a2:10915", "b:10915"}));
  std::filesystem::remove(root + "/a.json");
  CHECK(source.wait_for_addresses({"b:10915"}));
  folder.write("b.json", "broken");
  CHECK(source.wait_for_error());
}

TEST_CASE("a folder that comes later is found by the refresh and watched from then on") {
  const TempFolder folder;
  const std::string root = std::string(folder.path()) + "/later";
  RunningSource source(
      std::make_unique<FileSource>(std::vector<std::string>{root + "/*.json"}, 20ms));
  CHECK(source.wait_for_addresses({}));
  std::filesystem::create_directory(root);
  folder.write("later/a.json", group("a"));
  CHECK(source.wait_for_addresses({"a:10915"}));
}
