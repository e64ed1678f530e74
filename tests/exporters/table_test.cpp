#include "exporters/table.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace rdmadiag::exporters;

namespace {

Table sample() {
  Table table({{"DEVICE"},
               {"RATE", Align::kRight},
               {"", Align::kLeft},
               {"WHAT IS WRONG", Align::kLeft, 16}});
  table.add_row({"mlx5_0", "200 Gb/s", "", Cell("fine", Paint::kGood)});
  table.add_row({"mlx5_bond_0", "25 Gb/s", "",
                 Cell("symbol errors rise on this port and on no other", Paint::kBad)});
  return table;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, text_width(line));
  return widest;
}

}  // namespace

TEST_CASE("columns line up and empty ones are left out") {
  CHECK(sample().render({.width = 100}) ==
        "DEVICE           RATE  WHAT IS WRONG\n"
        "mlx5_0       200 Gb/s  fine\n"
        "mlx5_bond_0   25 Gb/s  symbol errors rise on this port and on no other\n");
  CHECK(Table({{"A"}}).render({}).empty());
}

TEST_CASE("a table that is too wide is cut where it may be") {
  CHECK(sample().render({.width = 50}) ==
        "DEVICE           RATE  WHAT IS WRONG\n"
        "mlx5_0       200 Gb/s  fine\n"
        "mlx5_bond_0   25 Gb/s  symbol errors rise on this~\n");
  CHECK(sample().render({.width = 50, .utf8 = true}).find("on this…\n") != std::string::npos);
}

TEST_CASE("a table that cannot be cut comes as blocks, with nothing lost") {
  CHECK(sample().render({.width = 36}) ==
        "DEVICE         mlx5_0\n"
        "RATE           200 Gb/s\n"
        "WHAT IS WRONG  fine\n"
        "\n"
        "DEVICE         mlx5_bond_0\n"
        "RATE           25 Gb/s\n"
        "WHAT IS WRONG  symbol errors rise on\n"
        "               this port and on no\n"
        "               other\n");
}

TEST_CASE("no line is wider than the terminal") {
  for (std::size_t width = 40; width <= 100; ++width) {
    INFO(width);
    CHECK(widest_line(sample().render({.width = width})) <= width);
  }
}

TEST_CASE("colour is there when asked for, around the text only") {
  Table table({{"A"}, {"B"}});
  table.add_row({Cell("x", Paint::kBad), "y"});
  CHECK(table.render({.width = 80, .colour = true}) ==
        "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
  CHECK(table.render({.width = 80}).find('\x1b') == std::string::npos);
}

TEST_CASE("nothing in a cell reaches the terminal as a command") {
  Table table({{"A"}});
  table.add_row({std::string("a\x1b[2Jb\nc\x07\xff\xc2\x9b")});
  for (const bool utf8 : {false, true}) {
    const std::string out = table.render({.width = 80, .utf8 = utf8});
    CHECK(out == "A\na\\x1b[2Jb\\nc\\x07\\xff\\xc2\\x9b\n");
  }
}

TEST_CASE("letters beyond ASCII are shown where the terminal knows them") {
  CHECK(terminal_text("Köln", {.utf8 = true}) == "Köln");
  CHECK(terminal_text("Köln", {.utf8 = false}) == "K\\xc3\\xb6ln");
  Table table({{"A"}, {"B"}});
  table.add_row({"Köln", "x"});
  table.add_row({"Bonn", "y"});
  CHECK(table.render({.width = 80, .utf8 = true}) == "A     B\nKöln  x\nBonn  y\n");
}

TEST_CASE("text breaks between words, and inside one that no line holds") {
  CHECK(wrapped("a bb ccc", 2, {.width = 5}) == "a bb\n  ccc");
  CHECK(wrapped("a abcdefghij kl", 1, {.width = 5}) == "a abc\n defg\n hij\n kl");
  CHECK(wrapped("äöüßé", 0, {.width = 2, .utf8 = true}) == "äö\nüß\né");
  CHECK(wrapped("abc", 5, {.width = 5}) == "abc");
  CHECK(wrapped("", 2, {.width = 5}).empty());
}
