#include "agent/core/yaml_tree.h"

#include <catch2/catch.hpp>

namespace rdmadiag::core {
namespace {

using Kind = YamlNode::Kind;

YamlNode parsed(std::string_view text) {
  auto tree = parse_yaml(text);
  INFO((tree ? "" : tree.error().message));
  REQUIRE(tree);
  return *tree;
}

std::string failure(std::string_view text, const YamlLimits& limits = {}) {
  const auto tree = parse_yaml(text, limits);
  if (tree) return "parsed";
  return std::to_string(tree.error().line) + ": " + tree.error().message;
}

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += part;
  return text;
}

TEST_CASE("a document becomes a tree with the lines of the file") {
  const YamlNode root = parsed("a: 1\nb:\n  - x\n  - 'y'\nc:\n  d: ~\n");
  REQUIRE(root.kind == Kind::kMap);
  REQUIRE(root.entries.size() == 3);
  CHECK(root.entries[0].key == "a");
  CHECK(root.entries[0].value.scalar == "1");
  const YamlNode& list = root.entries[1].value;
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].line == 3);
  CHECK_FALSE(list.items[0].quoted);
  CHECK(list.items[1].quoted);
  CHECK(root.entries[2].line == 5);
  CHECK(root.entries[2].value.entries[0].line == 6);
  CHECK(root.entries[2].value.entries[0].value.kind == Kind::kNull);
}

TEST_CASE("empty documents and comments are null, JSON is read too") {
  CHECK(parsed("").kind == Kind::kNull);
  CHECK(parsed("# nothing\n").kind == Kind::kNull);
  CHECK(parsed("---\n").kind == Kind::kNull);
  const YamlNode root = parsed(R"([{"targets": ["a:1"], "labels": {"leaf": "7"}}])");
  REQUIRE(root.items.size() == 1);
  CHECK(root.items[0].entries[0].value.items[0].scalar == "a:1");
}

TEST_CASE("duplicate keys are kept in order") {
  const YamlNode root = parsed("a: 1\na: 2\n");
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[1].line == 2);
  CHECK(root.entries[1].value.scalar == "2");
}

TEST_CASE("aliases and merge keys are resolved") {
  const YamlNode root = parsed("base: &b {x: 1, y: 2}\nuse: {<<: *b, y: 3}\nsame: *b\n");
  const YamlNode& use = root.entries[1].value;
  REQUIRE(use.entries.size() == 2);
  CHECK(use.entries[0].key == "y");
  CHECK(use.entries[0].value.scalar == "3");
  CHECK(use.entries[1].key == "x");
  CHECK(root.entries[2].value.entries[1].value.scalar == "2");
  CHECK(failure("a: {<<: 3}\n") == "1: a merge key (<<) wants a map");
  CHECK(failure("a: {<<: [1]}\n") == "1: a merge key (<<) wants a map");
}

TEST_CASE("what is not one plain document is refused with its line") {
  CHECK(failure("a: 1\n---\nb: 2\n") == "2: more than one document in the file");
  CHECK(failure("x: 1\n? [a, b]\n: 1\n") == "2: a key must be plain text");
  CHECK(failure("a: !!binary x\nb: !ruby/object x\n") == "2: tag !ruby/object is not known");
  CHECK(failure("a: 1\nb: *nowhere\n") == "2: the referenced anchor is not defined");
  CHECK(failure("a: &a [*a]\n") == "1: an alias stands inside what it refers to");
  CHECK(failure("a: 1\nb: [1, 2\n").starts_with("3: "));
  CHECK(failure(std::string_view("a: 1\nb: \0\n", 10)) ==
        "2: control character: this is not a text file");
  CHECK(failure("a: 1\nb: \xff\n") == "2: not UTF-8");
  CHECK(parsed("a: \xc3\xa9\n").entries[0].value.scalar == "\xc3\xa9");
  CHECK(failure("\x7f"
                "ELF") == "1: control character: this is not a text file");
}

TEST_CASE("size, depth and number of values are bounded") {
  CHECK(failure("a: 12345", {.bytes = 4}) == "1: larger than 4 bytes");
  CHECK(failure("[1, 2, 3]", {.nodes = 3}) == "1: more than 3 values");
  CHECK(failure(repeated("[", 40)) == "1: nested deeper than 32 levels");
  CHECK(failure(repeated("[", 500'000)) == "1: nested deeper than 32 levels");
  CHECK(failure(repeated("- ", 100'000)) == "1: nested deeper than 32 levels");
  CHECK(failure(repeated("{a: ", 100'000)) == "1: nested deeper than 32 levels");
}

TEST_CASE("aliases cannot multiply without bound") {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    laughs += name + ": &" + name + " [" + before + repeated(", " + before, 9) + "]\n";
  }
  CHECK(failure(laughs).ends_with("more than 100000 values"));
  const std::string lengthy =
      "a: &a " + repeated("x", 900'000) + "\nb: [*a" + repeated(", *a", 20'000) + "]\n";
  CHECK(failure(lengthy) == "2: more than 100000 values");
}

TEST_CASE("aliases count for the depth") {
  CHECK(failure("a: &a [[[1]]]\nb: [*a]\n", {.depth = 5}) == "parsed");
  CHECK(failure("a: &a [[[1]]]\nb: [*a]\n", {.depth = 4}) == "2: nested deeper than 4 levels");
}

}  // namespace
}  // namespace rdmadiag::core
