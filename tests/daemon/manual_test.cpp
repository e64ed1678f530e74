// The manual pages against the program: every flag and every key has its place, and none is
// described that does not exist.
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>

#include "agent/daemon/options.h"
#include "config/schema.h"

namespace rdmadiag::daemon {
namespace {

// The page without roff's escapes: "\-" is a dash, "\fR" a font.
std::string page(const std::string& name) {
  std::ifstream stream(RDMADIAG_SOURCE_DIR "/docs/man/" + name);
  REQUIRE(stream);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::string plain = std::regex_replace(text, std::regex(R"(\\f[A-Z])"), "");
  return std::regex_replace(plain, std::regex(R"(\\-)"), "-");
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex regex(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.insert(match->str());
  return found;
}

TEST_CASE("every flag is in rdmadiagd(8), and no other") {
  const std::string text = page("rdmadiagd.8");
  const auto described = matches(text, "--[a-z][-a-z.]*[a-z]");
  std::set<std::string> known;
  for (const std::string& name : option_names()) {
    INFO(name);
    const std::size_t source = name.find("collector.");
    if (source != std::string::npos) {
      known.insert(name.substr(0, source + 9));
      CHECK(text.find(name.substr(source + 10)) != std::string::npos);
    } else {
      known.insert(name);
      CHECK(described.count(name) == 1);
    }
  }
  for (const std::string& name : described) {
    INFO(name);
    const std::string base = name.substr(0, name.find("collector.") + 9);
    CHECK((known.count(name) == 1 || known.count(base) == 1));
  }
}

TEST_CASE("every key is in rdmadiag.yaml(5), and no other") {
  const std::string text = page("rdmadiag.yaml.5");
  const auto described = matches(text,
                                 "(labels|rails|devices|collect|peers|probes|bench|expect|compat)"
                                 R"((\.[a-z][a-z_]*(\[\])?)+)");
  std::set<std::string> known;
  for (const std::string& key : config::config_keys()) {
    INFO(key);
    known.insert(key);
    CHECK(text.find(key) != std::string::npos);
  }
  for (const std::string& key : described) {
    INFO(key);
    CHECK((known.count(key) == 1 || key == "collect.sources"));
  }
}

}  // namespace
}  // namespace rdmadiag::daemon
