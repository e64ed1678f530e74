// Text for terminals: tables that fit a width, down to 40 columns, in colour or not, on a terminal
// that knows UTF-8 or not. Pure; whatever the cells hold, nothing in them reaches the terminal as a
// control sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rdmadiag::exporters {

struct TerminalStyle {
  std::size_t width = 80;
  bool colour = false;
  bool utf8 = false;
};

enum class Paint : std::uint8_t { kPlain, kGood, kWarning, kBad, kFaint, kBold };

struct Cell {
  std::string text;
  Paint paint = Paint::kPlain;

  Cell() = default;
  Cell(std::string cell_text, Paint cell_paint = Paint::kPlain)
      : text(std::move(cell_text)), paint(cell_paint) {}
  Cell(const char* cell_text) : text(cell_text) {}
};

enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  // What the column may be cut to where the table is too wide, "…" at the end; 0: never cut.
  std::size_t least_width = 0;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Missing cells are empty. A column that is empty in every row is left out.
  void add_row(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // Lines that end in a newline. A table that cannot be cut to the width comes as one block of
  // "title  value" lines for each row, with nothing left out.
  [[nodiscard]] std::string render(const TerminalStyle& style) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// Safe for the terminal: control characters and invalid UTF-8 spelled out, and without UTF-8
// everything but ASCII too.
[[nodiscard]] std::string terminal_text(std::string_view text, const TerminalStyle& style);

// terminal_text in colour, where there is colour.
[[nodiscard]] std::string painted(std::string_view text, Paint paint, const TerminalStyle& style);

// Words broken into lines of at most the style's width, each after the first indented.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent,
                                  const TerminalStyle& style);

// Characters of valid UTF-8, which is taken to be columns.
[[nodiscard]] std::size_t text_width(std::string_view text);

}  // namespace rdmadiag::exporters
