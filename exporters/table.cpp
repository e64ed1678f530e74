#include "exporters/table.h"

#include <algorithm>
#include <numeric>

#include "exporters/utf8.h"

namespace rdmadiag::exporters {
namespace {

constexpr std::size_t kGap = 2;

std::string_view sequence(Paint paint) {
  switch (paint) {
    case Paint::kPlain: return "";
    case Paint::kGood: return "\x1b[32m";
    case Paint::kWarning: return "\x1b[33m";
    case Paint::kBad: return "\x1b[31m";
    case Paint::kFaint: return "\x1b[2m";
    case Paint::kBold: return "\x1b[1m";
  }
  return "";
}

std::string coloured(std::string text, Paint paint, const TerminalStyle& style) {
  if (!style.colour || paint == Paint::kPlain || text.empty()) return text;
  return std::string(sequence(paint)) + text + "\x1b[0m";
}

// At most `width` columns of safe text.
std::string cut(const std::string& text, std::size_t width, const TerminalStyle& style) {
  if (text_width(text) <= width) return text;
  const std::string_view mark = style.utf8 ? "…" : "~";
  std::string out;
  std::string_view rest = text;
  for (std::size_t kept = 0; kept + 1 < width && !rest.empty(); ++kept) {
    const std::size_t length = std::max<std::size_t>(utf8_sequence_length(rest), 1);
    out.append(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return out.append(mark);
}

// The cells of a table as they will be shown, without the columns that hold nothing.
struct Grid {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::size_t> widths;

  [[nodiscard]] std::size_t total() const {
    const std::size_t gaps = columns.empty() ? 0 : (columns.size() - 1) * kGap;
    return std::accumulate(widths.begin(), widths.end(), gaps);
  }
};

Grid make_grid(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
               const TerminalStyle& style) {
  Grid grid;
  grid.rows.resize(rows.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool used = std::any_of(rows.begin(), rows.end(), [&](const std::vector<Cell>& row) {
      return c < row.size() && !row[c].text.empty();
    });
    if (!used) continue;
    std::size_t width = text_width(columns[c].title);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Cell cell = c < rows[r].size() ? rows[r][c] : Cell();
      cell.text = terminal_text(cell.text, style);
      width = std::max(width, text_width(cell.text));
      grid.rows[r].push_back(std::move(cell));
    }
    grid.columns.push_back(columns[c]);
    grid.widths.push_back(width);
  }
  return grid;
}

// Takes from the widest column that may be cut until the table fits; false when it cannot.
bool fit(Grid& grid, std::size_t width) {
  std::size_t total = grid.total();
  while (total > width) {
    std::size_t widest = grid.columns.size();
    for (std::size_t c = 0; c < grid.columns.size(); ++c) {
      const std::size_t least = grid.columns[c].least_width;
      if (least == 0 || grid.widths[c] <= std::max(least, text_width(grid.columns[c].title))) {
        continue;
      }
      if (widest == grid.columns.size() || grid.widths[c] > grid.widths[widest]) widest = c;
    }
    if (widest == grid.columns.size()) return false;
    --grid.widths[widest];
    --total;
  }
  return true;
}

void append_cell(std::string& line, const Grid& grid, std::size_t column, const Cell& cell,
                 const TerminalStyle& style) {
  const std::string text = cut(cell.text, grid.widths[column], style);
  const std::size_t space = grid.widths[column] - text_width(text);
  const bool last = column + 1 == grid.columns.size();
  if (grid.columns[column].align == Align::kRight) line.append(space, ' ');
  line += coloured(text, cell.paint, style);
  if (grid.columns[column].align == Align::kLeft && !last) line.append(space, ' ');
  if (!last) line.append(kGap, ' ');
}

void end_line(std::string& out, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  out += line + "\n";
}

std::string as_lines(const Grid& grid, const TerminalStyle& style) {
  std::string out;
  std::string header;
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    append_cell(header, grid, c, Cell(grid.columns[c].title, Paint::kBold), style);
  }
  end_line(out, std::move(header));
  for (const std::vector<Cell>& row : grid.rows) {
    std::string line;
    for (std::size_t c = 0; c < grid.columns.size(); ++c) append_cell(line, grid, c, row[c], style);
    end_line(out, std::move(line));
  }
  return out;
}

std::string as_blocks(const Grid& grid, const TerminalStyle& style) {
  std::size_t titles = 0;
  for (const Column& column : grid.columns) titles = std::max(titles, text_width(column.title));
  std::string out;
  for (const std::vector<Cell>& row : grid.rows) {
    if (!out.empty()) out += "\n";
    for (std::size_t c = 0; c < grid.columns.size(); ++c) {
      if (row[c].text.empty()) continue;
      std::string title = grid.columns[c].title;
      title.append(titles - text_width(title) + kGap, ' ');
      const std::string lines = wrapped(title + row[c].text, titles + kGap, style);
      out += painted(lines.substr(0, title.size()), Paint::kBold, style);
      out += lines.substr(title.size()) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string terminal_text(std::string_view text, const TerminalStyle& style) {
  std::string safe = printable(text);
  if (style.utf8) return safe;
  std::string out;
  for (const char c : safe) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 0x0fU]};
    }
  }
  return out;
}

std::string painted(std::string_view text, Paint paint, const TerminalStyle& style) {
  return coloured(terminal_text(text, style), paint, style);
}

std::string wrapped(std::string_view text, std::size_t indent, const TerminalStyle& style) {
  const std::string safe = terminal_text(text, style);
  // At least one column beside the indent, or nothing would ever be written.
  const std::size_t width = std::max(style.width, indent + 1);
  std::string out;
  std::size_t column = 0;
  const auto break_line = [&] {
    out += "\n" + std::string(indent, ' ');
    column = indent;
  };
  std::string_view rest = safe;
  while (!rest.empty()) {
    // A word with the blanks before it, so that the first line keeps its own spacing.
    const std::size_t start = std::min(rest.find_first_not_of(' '), rest.size());
    const std::size_t end = std::min(rest.find(' ', start), rest.size());
    const std::size_t word = text_width(rest.substr(start, end - start));
    if (column + start + word > width && column > indent) {
      break_line();
      rest.remove_prefix(start);
      continue;
    }
    // A word that no line can hold goes over several.
    for (std::size_t at = 0; at < end;) {
      if (column == width) break_line();
      const std::size_t length = std::max<std::size_t>(utf8_sequence_length(rest.substr(at)), 1);
      out.append(rest.substr(at, length));
      ++column;
      at += length;
    }
    rest.remove_prefix(end);
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

std::string Table::render(const TerminalStyle& style) const {
  Grid grid = make_grid(columns_, rows_, style);
  if (grid.columns.empty()) return "";
  return fit(grid, style.width) ? as_lines(grid, style)
                                : as_blocks(make_grid(columns_, rows_, style), style);
}

}  // namespace rdmadiag::exporters
