// The closed sets of words a row of the catalogue may use.
#pragma once

#include <string_view>

namespace rdmadiag::catalogue {

// What stands between braces in a counter name.
struct Index {
  std::string_view placeholder;
  std::string_view label;  // empty: its metric is always the sum
  int last;                // values are 0 to last
  int extra;               // one more value beyond the range, or -1
};

struct Unit {
  std::string_view name;
  std::string_view scale;   // a C++ floating-point literal
  std::string_view suffix;  // what a metric of this unit ends in before _total
};

[[nodiscard]] const Index* find_index(std::string_view counter);  // null: no known placeholder
[[nodiscard]] const Unit* find_unit(std::string_view name);
[[nodiscard]] bool is_class(std::string_view word);
[[nodiscard]] bool is_severity(std::string_view word);
[[nodiscard]] bool is_label(std::string_view word);

// "_bytes", "_seconds", "_ratio" or nothing.
[[nodiscard]] std::string_view unit_suffix(std::string_view metric);

}  // namespace rdmadiag::catalogue
