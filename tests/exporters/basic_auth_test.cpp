#include "exporters/basic_auth.h"

#include <crypt.h>

#include <catch2/catch.hpp>
#include <memory>

using namespace rdmadiag::exporters;

namespace {

// Cost 4, the lowest there is: tests need no strength.
std::string bcrypt(const std::string& password, const std::string& prefix = "$2y$") {
  const auto scratch = std::make_unique<crypt_data>();
  const std::string salt = prefix + "04$abcdefghijklmnopqrstuu";
  return crypt_r(password.c_str(), salt.c_str(), scratch.get());
}

}  // namespace

TEST_CASE("an Authorization header is read") {
  const auto check = [](const char* header, const char* user, const char* password) {
    CAPTURE(header);
    const auto credentials = parse_basic_credentials(header);
    REQUIRE(credentials);
    CHECK(credentials->user == user);
    CHECK(credentials->password == password);
  };
  check("Basic YWxpY2U6c2VjcmV0", "alice", "secret");
  check("bASIC YWxpY2U6c2VjcmV0", "alice", "secret");
  check("Basic YTpiOmM=", "a", "b:c");
  check("Basic Og==", "", "");
}

TEST_CASE("what is not basic credentials is none") {
  for (const char* header : {"", "Basic", "Basic ", "Bearer YWxpY2U6c2VjcmV0", "Basic YWxpY2U=",
                             "Basic !!!!", "Basic YWxpY2U6c2VjcmV", "Basic YTpiAGM="}) {
    CAPTURE(header);
    CHECK_FALSE(parse_basic_credentials(header));
  }
  CHECK_FALSE(parse_basic_credentials("Basic " + std::string(2000, 'Y')));
}

TEST_CASE("right, wrong and unknown") {
  BasicAuth auth;
  const BasicAuth::Users users{{"alice", bcrypt("secret")}, {"bob", bcrypt("other", "$2b$")}};
  CHECK(auth.verify(users, {"alice", "secret"}));
  CHECK(auth.verify(users, {"bob", "other"}));
  CHECK_FALSE(auth.verify(users, {"alice", "other"}));
  CHECK_FALSE(auth.verify(users, {"alice", ""}));
  CHECK_FALSE(auth.verify(users, {"mallory", "secret"}));
  CHECK_FALSE(auth.verify(users, {"", ""}));
}

TEST_CASE("what was hashed once is remembered, for exactly those credentials and that hash") {
  BasicAuth auth;
  const BasicAuth::Users users{{"alice", bcrypt("secret")}};
  CHECK_FALSE(auth.recall(users, {"alice", "secret"}));
  CHECK(auth.verify(users, {"alice", "secret"}));
  CHECK_FALSE(auth.verify(users, {"alice", "guess"}));
  CHECK(auth.recall(users, {"alice", "secret"}) == true);
  CHECK(auth.recall(users, {"alice", "guess"}) == false);
  CHECK_FALSE(auth.recall(users, {"alices", "ecret"}));
  CHECK_FALSE(auth.recall({{"alice", bcrypt("new")}}, {"alice", "secret"}));
  CHECK_FALSE(BasicAuth().recall(users, {"alice", "secret"}));
}

TEST_CASE("guesses do not push out who has the right password") {
  BasicAuth auth;
  const BasicAuth::Users users{{"alice", bcrypt("secret")}};
  CHECK(auth.verify(users, {"alice", "secret"}));
  for (int i = 0; i < 200; ++i) {
    CHECK_FALSE(auth.verify(users, {"alice", std::to_string(i)}));
  }
  CHECK(auth.recall(users, {"alice", "secret"}) == true);
  CHECK_FALSE(auth.recall(users, {"alice", "0"}));
}
