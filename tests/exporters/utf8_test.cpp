#include "exporters/utf8.h"

#include <catch2/catch.hpp>

namespace rdmadiag::exporters {
namespace {

TEST_CASE("Well-formed UTF-8 stays as it is") {
  for (const std::string text : {"", "mlx5_0", "Größe", "\xe2\x82\xac", "\xf0\x9f\x94\xa5 hot"}) {
    CHECK(valid_utf8(text) == text);
    CHECK(printable(text) == text);
  }
}

TEST_CASE("Bytes that are no UTF-8 are spelled out, the rest around them kept") {
  CHECK(valid_utf8("a\xff"
                   "b") == "a\\xffb");
  CHECK(valid_utf8("\xc3") == "\\xc3");                             // cut off
  CHECK(valid_utf8("\xc0\xaf") == "\\xc0\\xaf");                    // overlong
  CHECK(valid_utf8("\xe0\x80\x80") == "\\xe0\\x80\\x80");           // overlong
  CHECK(valid_utf8("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // surrogate
  CHECK(valid_utf8("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  CHECK(valid_utf8("\xe2\x82\x28") == "\\xe2\\x82(");               // broken continuation
}

TEST_CASE("Control characters are spelled out for terminals only") {
  CHECK(valid_utf8("a\x1b[2J\n") == "a\x1b[2J\n");
  CHECK(printable("a\x1b[2J\n\t\x7f") == "a\\x1b[2J\\n\\t\\x7f");
  CHECK(printable("\xc2\x9b"
                  "1m") == "\\xc2\\x9b1m");  // C1 CSI
  CHECK(printable("\xc2\xa0") == "\xc2\xa0");
}

}  // namespace
}  // namespace rdmadiag::exporters
