#include "agent/core/catalogue/tsv.h"

#include <algorithm>
#include <fstream>

namespace rdmadiag::catalogue {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == '\t') {
      cells.emplace_back();
    } else {
      cells.back().push_back(c);
    }
  }
  return cells;
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::string cell_fault(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) {
    if (!is_printable(cell)) return "'" + cell + "' is not printable ASCII";
    if (!cell.empty() && (cell.front() == ' ' || cell.back() == ' ')) {
      return "'" + cell + "' begins or ends in a space";
    }
  }
  return "";
}

}  // namespace

std::vector<TsvRow> read_tsv(const std::string& path, const std::vector<std::string_view>& columns,
                             std::vector<Problem>& problems) {
  std::vector<TsvRow> rows;
  std::ifstream in(path);
  if (!in) problems.push_back({path, 0, "cannot be read"});
  bool header_seen = false;
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    if (text.empty() || text.front() == '#') continue;
    std::vector<std::string> cells = split(text);
    if (!header_seen) {
      header_seen = true;
      if (!std::equal(cells.begin(), cells.end(), columns.begin(), columns.end())) {
        problems.push_back({path, line, "the header does not name the expected columns"});
        return {};
      }
    } else if (cells.size() != columns.size()) {
      problems.push_back({path, line,
                          std::to_string(cells.size()) + " columns where " +
                              std::to_string(columns.size()) + " are expected"});
    } else if (const std::string fault = cell_fault(cells); !fault.empty()) {
      problems.push_back({path, line, fault});
    } else {
      rows.push_back({line, std::move(cells)});
    }
  }
  if (in.eof() && !header_seen) problems.push_back({path, 0, "is empty"});
  return rows;
}

}  // namespace rdmadiag::catalogue
