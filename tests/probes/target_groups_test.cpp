#include "probes/discovery/target_groups.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::probes;

namespace {

const std::vector<Peer> kTwoGroups = {
    {.id = "a:10915", .address = "a:10915", .leaf = "leaf-1", .pod = "p1"},
    {.id = "b:1", .address = "b:1", .leaf = "leaf-1", .pod = "p1"},
    {.id = "host-c", .address = "c:10915"}};

std::string error_of(std::string_view text, TargetFormat format) {
  const auto reading = parse_target_groups(text, format);
  return reading ? "fine" : reading.error().message();
}

}  // namespace

TEST_CASE("target groups mean the same as JSON and as YAML") {
  const auto json = parse_target_groups(
      R"([{"targets": ["a", "b:1"], "labels": {"leaf": "leaf-1", "pod": "p1", "team": "x"}},
          {"targets": ["c:10915"], "labels": {"instance": "host-c"}},
          {"targets": []}])",
      TargetFormat::kJson);
  REQUIRE(json);
  CHECK(json->peers == kTwoGroups);
  CHECK(json->problem.empty());
  const auto yaml = parse_target_groups(
      "- targets: [a, 'b:1']\n  labels: {leaf: leaf-1, pod: p1, team: x}\n"
      "- targets:\n    - c:10915\n  labels:\n    instance: host-c\n- targets: []\n",
      TargetFormat::kYaml);
  REQUIRE(yaml);
  CHECK(*yaml == *json);
}

TEST_CASE("one bad target or label only loses itself") {
  const auto reading = parse_target_groups(
      R"([{"targets": ["a", "not an address", "b/c"], "labels": {"leaf": "a\nb", "rail": "0"}}])",
      TargetFormat::kJson);
  REQUIRE(reading);
  CHECK(reading->peers == std::vector<Peer>{{.id = "a:10915", .address = "a:10915", .rail = "0"}});
  CHECK(reading->problem == "bad value of label leaf");
}

TEST_CASE("an instance label on several targets names none of them") {
  const auto reading = parse_target_groups(
      R"([{"targets": ["a", "b"], "labels": {"instance": "x"}}])", TargetFormat::kJson);
  REQUIRE(reading);
  CHECK(reading->peers[0].id == "a:10915");
  CHECK(reading->peers[1].id == "b:10915");
}

TEST_CASE("another shape is an error that says what is wrong") {
  CHECK(error_of("", TargetFormat::kJson) == "not valid JSON");
  CHECK(error_of("[", TargetFormat::kJson) == "not valid JSON");
  CHECK(error_of("{}", TargetFormat::kJson) == "wants a list of target groups");
  CHECK(error_of("[1]", TargetFormat::kJson) == "a target group is not an object");
  CHECK(error_of("[{}]", TargetFormat::kJson) == "a target group has no list of targets");
  CHECK(error_of(R"([{"targets": [1]}])", TargetFormat::kJson) == "a target is not a string");
  CHECK(error_of(R"([{"targets": [], "labels": []}])", TargetFormat::kJson) ==
        "labels are not an object");
  CHECK(error_of(R"([{"targets": [], "labels": {"leaf": 1}}])", TargetFormat::kJson) ==
        "label leaf is not a string");
  CHECK(error_of("", TargetFormat::kYaml) == "fine");
  CHECK(error_of("a: b", TargetFormat::kYaml) == "wants a list of target groups");
  CHECK(error_of("- targets: [a]\n  lables: {}\n", TargetFormat::kYaml) ==
        "line 2: lables: unknown key (did you mean labels?)");
  CHECK(error_of("- [", TargetFormat::kYaml).starts_with("line "));
}

TEST_CASE("depth and number are bounded") {
  CHECK(error_of(std::string(100'000, '['), TargetFormat::kJson) == "not valid JSON");
  std::string deep(1000, '[');
  CHECK(error_of(deep + std::string(1000, ']'), TargetFormat::kYaml) != "fine");
  std::string many = R"([{"targets": [)";
  for (std::size_t i = 0; i <= kMaxPeers; ++i) {
    many += (i == 0 ? "\"h" : ",\"h") + std::to_string(i) + "\"";
  }
  const auto reading = parse_target_groups(many + "]}]", TargetFormat::kJson);
  REQUIRE(reading);
  CHECK(reading->peers.size() == kMaxPeers);
  CHECK(reading->problem == "more than 16384 targets");
  CHECK(error_of(std::string(kMaxTargetText + 1, ' '), TargetFormat::kJson) ==
        "larger than 16777216 bytes");
}
