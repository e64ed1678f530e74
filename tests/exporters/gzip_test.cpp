#include "exporters/gzip.h"

#include <zlib.h>

#include <catch2/catch.hpp>

using namespace rdmadiag::exporters;

namespace {

std::string unpack(const std::string& packed) {
  z_stream stream{};
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string out(1 << 22, '\0');
  std::string in = packed;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace

TEST_CASE("what is packed unpacks to the same text") {
  std::string noise;
  unsigned state = 1;
  for (int i = 0; i < 100'000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise += static_cast<char>(state >> 24);
  }
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(2'000'000, 'x'), noise}) {
    const auto packed = gzip(text);
    REQUIRE(packed);
    CHECK(unpack(*packed) == text);
  }
  CHECK(gzip(std::string(100'000, 'x'))->size() < 1000);
}

TEST_CASE("a client takes gzip when it says so") {
  for (const char* header :
       {"gzip", "GZip", "deflate, gzip", "gzip;q=0.5", "gzip; q=1.0, identity;q=0", "br , x-gzip",
        "*", "*;q=0.1", "gzip;level=9", ",,gzip"}) {
    CAPTURE(header);
    CHECK(accepts_gzip(header));
  }
  for (const char* header : {"", "identity", "br", "gzip;q=0", "gzip; q=0.000", "gzip;Q=0", "*;q=0",
                             "gzipped", "*, gzip;q=0", "gzip;q=0, *", ";", ",;,=,"}) {
    CAPTURE(header);
    CHECK_FALSE(accepts_gzip(header));
  }
}
