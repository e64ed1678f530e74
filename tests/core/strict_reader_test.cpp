#include "agent/core/strict_reader.h"

#include <catch2/catch.hpp>
#include <limits>

#include "agent/core/nearest.h"

namespace rdmadiag::core {
namespace {

using namespace std::chrono_literals;

// Reads one document with `read` and gives what was wrong with it.
std::vector<std::string> problems_of(std::string_view text,
                                     const std::function<void(MapReader&)>& read) {
  const auto tree = parse_yaml(text);
  REQUIRE(tree);
  Problems problems;
  MapReader reader(*tree, "", problems);
  read(reader);
  std::vector<std::string> lines;
  for (const Problem& problem : problems) lines.push_back(format_problem("f", problem));
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("values that are right are read, absent and null ones keep the default") {
  bool flag = false;
  std::int64_t count = 7;
  double ratio = 0;
  std::chrono::nanoseconds interval{};
  std::string name = "kept";
  std::size_t word = 0;
  std::vector<std::string> list = {"kept"};
  std::map<std::string, std::string> map;
  constexpr std::array<std::string_view, 2> kWords = {"send", "write"};
  CHECK(problems_of("flag: true\nratio: 1.5\ninterval: 1m30s\nname: ~\nword: write\nlist: []\n"
                    "map: {leaf: 7}\n",
                    [&](MapReader& reader) {
                      reader.boolean("flag", flag);
                      reader.integer("count", count, 0, 9);
                      reader.number("ratio", ratio, {0, 2});
                      reader.duration("interval", interval, 0s, 1h);
                      reader.text("name", name);
                      reader.word("word", word, kWords);
                      reader.text_list("list", list);
                      reader.text_map("map", map);
                      reader.reject_unknown();
                    })
            .empty());
  CHECK(flag);
  CHECK(count == 7);
  CHECK(ratio == 1.5);
  CHECK(interval == 90s);
  CHECK(name == "kept");
  CHECK(word == 1);
  CHECK(list.empty());
  CHECK(map.at("leaf") == "7");
}

TEST_CASE("unknown and duplicate keys are problems at their line") {
  const auto read = [](MapReader& reader) {
    bool value = false;
    MapReader probes = reader.section("probes");
    probes.boolean("interval", value);
    probes.boolean("timeout", value);
    probes.reject_unknown();
    reader.reject_unknown();
  };
  CHECK(problems_of("probes:\n  intervall: true\n", read) ==
        Lines{"f:2: probes.intervall: unknown key (did you mean interval?)"});
  CHECK(problems_of("probes:\n  zebra: true\n", read) == Lines{"f:2: probes.zebra: unknown key"});
  CHECK(problems_of("probes:\n  timeout: true\n  timeout: false\n", read) ==
        Lines{"f:3: probes.timeout: duplicate key, first on line 2"});
  CHECK(problems_of("probes: []\n", read) == Lines{"f:1: probes: wants a map, not a list"});
  CHECK(problems_of("- a\n", read) == Lines{"f:1: wants a map, not a list"});
}

TEST_CASE("a problem is one line, whatever a key is called") {
  const Lines lines =
      problems_of("\"a\\n\\e[31mb\": 1\n", [](MapReader& map) { map.reject_unknown(); });
  CHECK(lines == Lines{"f:1: a  [31mb: unknown key"});
}

TEST_CASE("wrong types and ranges say what is wanted and what was found") {
  std::int64_t count = 3;
  const auto integer = [&](MapReader& reader) { reader.integer("n", count, 1, 64); };
  CHECK(problems_of("n: many\n", integer) == Lines{"f:1: n: wants a whole number, not \"many\""});
  CHECK(problems_of("n: 1.5\n", integer) == Lines{"f:1: n: wants a whole number, not \"1.5\""});
  CHECK(problems_of("n: [1]\n", integer) == Lines{"f:1: n: wants a whole number, not a list"});
  CHECK(problems_of("n: 65\n", integer) ==
        Lines{"f:1: n: wants a whole number from 1 to 64, not 65"});
  CHECK(problems_of("n: 99999999999999999999\n", integer) ==
        Lines{"f:1: n: wants a whole number from 1 to 64, not 99999999999999999999"});
  CHECK(count == 3);

  double ratio = 0.5;
  const auto number = [&](MapReader& reader) { reader.number("r", ratio, {0.1, 200}); };
  CHECK(problems_of("r: .nan\n", number) == Lines{"f:1: r: wants a number, not \".nan\""});
  CHECK(problems_of("r: nan\n", number) == Lines{"f:1: r: wants a number, not \"nan\""});
  CHECK(problems_of("r: 1e3\n", number) ==
        Lines{"f:1: r: wants a number from 0.1 to 200, not 1e3"});
  CHECK(ratio == 0.5);

  std::chrono::nanoseconds interval = 1s;
  const auto duration = [&](MapReader& reader) { reader.duration("t", interval, 10ms, 1min); };
  CHECK(problems_of("t: 30\n", duration) ==
        Lines{"f:1: t: wants a time like 500ms, 30s or 1m, not \"30\""});
  CHECK(problems_of("t: 0s\n", duration) == Lines{"f:1: t: wants a time from 10ms to 1m, not 0s"});
  CHECK(interval == 1s);

  bool flag = true;
  const auto boolean = [&](MapReader& reader) { reader.boolean("b", flag); };
  CHECK(problems_of("b: maybe\n", boolean) == Lines{"f:1: b: wants true or false, not \"maybe\""});

  std::size_t word = 0;
  constexpr std::array<std::string_view, 3> kWords = {"send", "write", "read"};
  const auto words = [&](MapReader& reader) { reader.word("w", word, kWords); };
  CHECK(problems_of("w: sned\n", words) ==
        Lines{"f:1: w: wants send, write or read, not \"sned\""});
}

TEST_CASE("lists and maps of text are checked item by item") {
  std::vector<std::string> list = {"kept"};
  const auto texts = [&](MapReader& reader) { reader.text_list("l", list, 2); };
  CHECK(problems_of("l: a\n", texts) == Lines{"f:1: l: wants a list, not \"a\""});
  CHECK(problems_of("l:\n  - a\n  - [b]\n", texts) ==
        Lines{"f:3: l: wants a list of text, not a list"});
  CHECK(problems_of("l: [a, b, c]\n", texts) == Lines{"f:1: l: more than 2 items"});

  std::map<std::string, std::string> map;
  const auto labels = [&](MapReader& reader) { reader.text_map("m", map, 2); };
  CHECK(problems_of("m:\n  a: {}\n", labels) == Lines{"f:2: m.a: wants text, not a map"});
  CHECK(problems_of("m:\n  a: 1\n  a: 2\n", labels) ==
        Lines{"f:3: m.a: duplicate key, first on line 2"});
  CHECK(problems_of("m: 1\n", labels) == Lines{"f:1: m: wants a map, not \"1\""});
}

TEST_CASE("durations are read and written in one spelling") {
  CHECK(parse_duration("500ms") == 500ms);
  CHECK(parse_duration("1h30m") == 90min);
  CHECK(parse_duration("2us") == 2us);
  CHECK(parse_duration("1d") == 24h);
  for (const std::string_view bad : {"", "5", "s", "-1s", "1.5s", "1 s", "1x", "99999999999d",
                                     "1s-1s", "9223372036854775807h", "10000d1s"})
    CHECK_FALSE(parse_duration(bad));
  for (const std::string_view text : {"0s", "1ns", "500ms", "1s", "1m30s", "1h", "1d2h3m4s5ms"})
    CHECK(format_duration(parse_duration(text).value()) == text);
}

TEST_CASE("the nearest name is offered only when it is near") {
  const std::vector<std::string> known = {"interval", "timeout", "dscp"};
  CHECK(nearest_name("intervall", known) == "interval");
  CHECK(nearest_name("tiemout", known) == "timeout");
  CHECK(nearest_name("dcsp", known) == "dscp");
  CHECK_FALSE(nearest_name("zebra", known));
  CHECK_FALSE(nearest_name("", known));
  CHECK(edit_distance("abcd", "acbd") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance(std::string(100, 'a'), "a") == 100);
}

}  // namespace
}  // namespace rdmadiag::core
