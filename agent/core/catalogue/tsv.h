// A tab-separated table with one header line; lines that begin with # are remarks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/core/catalogue/rows.h"

namespace rdmadiag::catalogue {

struct TsvRow {
  std::size_t line = 0;
  std::vector<std::string> cells;  // as many as there are columns
};

// The rows of `path`, whose header must be exactly `columns`. A row with another number of cells,
// with anything but printable ASCII, or with a cell that begins or ends in a space is a problem and
// left out.
[[nodiscard]] std::vector<TsvRow> read_tsv(const std::string& path,
                                           const std::vector<std::string_view>& columns,
                                           std::vector<Problem>& problems);

}  // namespace rdmadiag::catalogue
