#include "agent/core/utf8.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::core;

TEST_CASE("well-formed text stays as it is") {
  for (const char* text : {"", "mlx5_0", "Ünïcode", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a\nb"}) {
    CHECK(is_utf8(text));
    CHECK(to_utf8(text) == text);
  }
}

TEST_CASE("what is not UTF-8 is replaced byte by byte") {
  CHECK(to_utf8("bad \xff\xfe!") == "bad \xef\xbf\xbd\xef\xbf\xbd!");
  CHECK(to_utf8("\xc3") == "\xef\xbf\xbd");                                  // cut short
  CHECK(to_utf8("\xc0\xaf") == "\xef\xbf\xbd\xef\xbf\xbd");                  // over-long
  CHECK(to_utf8("\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");  // surrogate
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));                                  // past U+10FFFF
  CHECK(is_utf8("\xf4\x8f\xbf\xbf"));
  CHECK(is_utf8(to_utf8("\x80\xe2\x82x\xf0\x9f")));
}
