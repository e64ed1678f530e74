#include "probes/probe_key.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

using namespace rdmadiag::probes;

namespace {

const std::string kHex = "000102030405060708090a0b0c0d0e0f";

std::string error_of(std::string_view text) {
  const auto keys = parse_key_file(text);
  REQUIRE_FALSE(keys);
  return keys.error().message();
}

}  // namespace

TEST_CASE("key file: the first key signs, all are accepted") {
  const auto keys = parse_key_file("# fleet key\n\n 2 " + kHex + "  # new\r\n1\t" + kHex);
  REQUIRE(keys);
  REQUIRE(keys->size() == 2);
  CHECK((*keys)[0].secret[15] == 0x0f);
  KeyRing ring(make_local_key());
  CHECK_FALSE(ring.shared());
  ring.set_shared(*keys);
  CHECK(ring.shared()->id == 2);
  REQUIRE(ring.find(1) != nullptr);
  CHECK(ring.find(9) == nullptr);
  ring.set_shared({});
  CHECK(ring.find(1) == nullptr);
  CHECK(ring.find(kLocalKeyId) != nullptr);
}

TEST_CASE("key file: what is wrong is said with its line") {
  CHECK(error_of("") == "no key in it; expected lines of \"ID HEX\"");
  CHECK(error_of("# nothing\n") == "no key in it; expected lines of \"ID HEX\"");
  CHECK(error_of("\n0 " + kHex) == "line 2: expected a key id from 1 to 254");
  CHECK(error_of("255 " + kHex) == "line 1: expected a key id from 1 to 254");
  CHECK(error_of("x") == "line 1: expected a key id from 1 to 254");
  const std::string digits = "line 1: expected 32 hexadecimal digits after the key id";
  CHECK(error_of("1") == digits);
  CHECK(error_of("1" + kHex.substr(1, 0) + "g") == digits);
  CHECK(error_of("1 " + kHex + "00") == digits);
  CHECK(error_of("1 " + kHex.substr(2)) == digits);
  CHECK(error_of("1 " + kHex + "\n1 " + kHex) == "line 2: key id 1 repeated");
  CHECK(error_of(std::string(5000, '\n')) == "key file larger than 4096 bytes");
}

TEST_CASE("key file: permissions and kind of file are checked") {
  char folder[] = "/tmp/rdmadiag-key-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/probe.key";
  std::ofstream(path) << "1 " << kHex << "\n";
  chmod(path.c_str(), 0600);
  CHECK(read_key_file(path));
  chmod(path.c_str(), 0640);
  const auto open_to_group = read_key_file(path);
  REQUIRE_FALSE(open_to_group);
  CHECK(open_to_group.error().message() ==
        "key file " + path + ": readable by group or others; chmod 600 it");
  CHECK_FALSE(read_key_file(folder));
  CHECK_FALSE(read_key_file(path + ".absent"));
  unlink(path.c_str());
  rmdir(folder);
}

TEST_CASE("local keys are random") {
  CHECK(make_local_key().secret != make_local_key().secret);
  CHECK(insecure_key().id == kInsecureKeyId);
}
