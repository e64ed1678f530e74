#include "tests/exporters/series.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace rdmadiag::test {

std::map<std::string, std::string> parse_series(std::string_view text) {
  std::map<std::string, std::string> series;
  std::set<std::string> families;
  std::string family;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      if (!families.insert(family).second) throw std::runtime_error("family twice: " + family);
      continue;
    }
    if (line.starts_with("# TYPE ")) {
      if (!line.starts_with("# TYPE " + family + " ")) throw std::runtime_error(line);
      continue;
    }
    const std::size_t space = line.rfind(' ');
    const std::string name = line.substr(0, line.find_first_of("{ "));
    if (space == std::string::npos || name != family) {
      throw std::runtime_error("outside its family: " + line);
    }
    if (!series.emplace(line.substr(0, space), line.substr(space + 1)).second) {
      throw std::runtime_error("series twice: " + line);
    }
  }
  return series;
}

}  // namespace rdmadiag::test
