// Reads a text exposition back, for tests.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rdmadiag::test {

// Series as written, labels included → value as written. Throws std::runtime_error for what a
// scraper would refuse: a series or family twice, a sample outside its family.
[[nodiscard]] std::map<std::string, std::string> parse_series(std::string_view text);

}  // namespace rdmadiag::test
