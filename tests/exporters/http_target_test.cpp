#include "exporters/http_target.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::exporters;

TEST_CASE("a target is split and decoded") {
  const auto target =
      parse_http_target("/a%2fb+c?collect[]=a+b&collect%5B%5D=%c3%a9&flag&=v&x=1=2");
  REQUIRE(target);
  CHECK(target->path == "/a/b+c");
  CHECK(
      target->query ==
      HttpFields{
          {"collect[]", "a b"}, {"collect[]", "\xc3\xa9"}, {"flag", ""}, {"", "v"}, {"x", "1=2"}});
}

TEST_CASE("empty parts of a query are nothing") {
  for (const char* text : {"/", "/?", "/?&", "/?&&&"}) {
    const auto target = parse_http_target(text);
    REQUIRE(target);
    CHECK(target->path == "/");
    CHECK(target->query.empty());
  }
}

TEST_CASE("a bad escape is refused wherever it stands") {
  for (const char* text :
       {"/%", "/%4", "/%zz", "/%4g", "/?%", "/?a=%1", "/?a=%-1", "/?%+1=a", "/?a=b&c=%0x"}) {
    CAPTURE(text);
    const auto target = parse_http_target(text);
    REQUIRE_FALSE(target);
    CHECK(target.error().what == "bad escape in the request target");
  }
}

TEST_CASE("a NUL never reaches a handler") {
  for (const std::string& text :
       {std::string("/a%00b"), std::string("/?a=%00"), std::string("/?a\0b=c", 8)}) {
    const auto target = parse_http_target(text);
    REQUIRE_FALSE(target);
    CHECK(target.error().what == "NUL in the request target");
  }
}

TEST_CASE("the number of parameters is bounded") {
  std::string text = "/?";
  for (int i = 0; i < 64; ++i) {
    text += "a=1&";
  }
  CHECK(parse_http_target(text));
  const auto target = parse_http_target(text + "a=1");
  REQUIRE_FALSE(target);
  CHECK(target.error().what == "too many query parameters");
}
