// The arrows of CONTRIBUTING.md's picture, read off the sources and off the build.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/contract/source_tree.h"

namespace rdmadiag::test {
namespace {

bool may_use(const std::string& from, const std::string& to) {
  const auto allowed = allowed_layers(from);
  return from == to || std::find(allowed.begin(), allowed.end(), to) != allowed.end();
}

TEST_CASE("every layer has sources, so that nothing is checked in vain") {
  std::map<std::string, int> files;
  for (const SourceFile& file : source_files()) ++files[file.layer];
  CHECK(files.size() == 7);
  CHECK(layer_of("agent/host/x.cpp") == "agent/host");
  CHECK(layer_of("tests/x.cpp").empty());
  CHECK(included_file("#include \"agent/host/x.h\"") == "agent/host/x.h");
  CHECK(included_file("#include <poll.h>") == "poll.h");
  CHECK(may_use("agent/daemon", "config"));
  CHECK_FALSE(may_use("config", "agent/host"));
  CHECK_FALSE(may_use("agent/daemon", "agent/cli"));
}

TEST_CASE("includes go down the layers only") {
  for (const SourceFile& file : source_files()) {
    for (const std::string& line : file.lines) {
      const std::string included = included_file(line);
      const std::string layer = layer_of(included);
      if (layer.empty() || may_use(file.layer, layer)) continue;
      FAIL_CHECK(file.path << " includes " << included);
    }
  }
}

TEST_CASE("heavy libraries stay out of headers") {
  const std::vector<std::string> heavy = {"nlohmann/json.hpp", "CLI/",       "spdlog/", "yaml-cpp/",
                                          "microhttpd.h",      "systemd/",   "archive", "curl/",
                                          "netlink/",          "prometheus/"};
  for (const SourceFile& file : source_files()) {
    if (!file.path.ends_with(".h")) continue;
    for (const std::string& line : file.lines) {
      const std::string included = included_file(line);
      const bool is_heavy = std::any_of(heavy.begin(), heavy.end(), [&](const std::string& name) {
        return included.starts_with(name);
      });
      if (is_heavy) FAIL_CHECK(file.path << " includes " << included);
    }
  }
}

TEST_CASE("targets link down the layers only") {
  // Written by CMake: "target<TAB>folder<TAB>link;link;…" for each target of ours.
  struct Target {
    std::string layer;
    std::string links;
  };
  std::map<std::string, Target> targets;
  std::ifstream stream(RDMADIAG_TARGETS_FILE);
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string name, folder, links;
    std::getline(fields, name, '\t');
    std::getline(fields, folder, '\t');
    std::getline(fields, links, '\t');
    targets[name] = {layer_of(folder + '/'), links};
  }
  REQUIRE(targets.count("rdmadiag_core") == 1);
  REQUIRE(targets.count("rdmadiag_daemon") == 1);
  for (const auto& [name, target] : targets) {
    std::istringstream links(target.links);
    for (std::string link; std::getline(links, link, ';');) {
      const auto linked = targets.find(link);
      if (linked == targets.end() || linked->second.layer.empty()) continue;
      if (!may_use(target.layer, linked->second.layer)) FAIL_CHECK(name << " links " << link);
    }
  }
}

}  // namespace
}  // namespace rdmadiag::test
