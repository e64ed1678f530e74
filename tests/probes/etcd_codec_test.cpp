#include "probes/discovery/etcd_codec.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::probes;

TEST_CASE("requests are what the gateway takes") {
  CHECK(encode_lease_grant(std::chrono::seconds(30)) == R"({"TTL":30})");
  CHECK(encode_lease(7587848390) == R"({"ID":"7587848390"})");
  CHECK(encode_put({"/p/a", "v"}, 5) == R"({"key":"L3AvYQ==","lease":"5","value":"dg=="})");
  CHECK(encode_range("/p/") == R"({"key":"L3Av","range_end":"L3Aw"})");
  CHECK(encode_watch("/p/", 9) ==
        R"({"create_request":{"key":"L3Av","range_end":"L3Aw","start_revision":"9"}})");
}

TEST_CASE("the end of a prefix is the next key that does not begin with it") {
  CHECK(prefix_end("/p/") == "/p0");
  CHECK(prefix_end("a\xff\xff") == "b");
  CHECK(prefix_end("\xff\xff") == std::string(1, '\0'));
  CHECK(prefix_end("") == std::string(1, '\0'));
}

TEST_CASE("answers are read") {
  CHECK(decode_lease_grant(R"({"header":{},"ID":"7587848390","TTL":"30"})") == 7587848390);
  CHECK(decode_keep_alive(R"({"result":{"ID":"1","TTL":"30"}})") == true);
  CHECK(decode_keep_alive(R"({"result":{"ID":"1"}})") == false);
  const auto range = decode_range(
      R"({"header":{"revision":"12"},"kvs":[{"key":"L3AvYQ==","value":"dg=="}],"count":"1"})");
  REQUIRE(range);
  CHECK(range->revision == 12);
  CHECK(range->entries == std::vector<EtcdEntry>{{"/p/a", "v"}});
  CHECK(decode_range(R"({"header":{"revision":"1"}})")->entries.empty());
  const auto changes = decode_changes(
      R"({"result":{"header":{"revision":"13"},"events":[{"kv":{"key":"L3AvYQ==","value":"dg=="}},
          {"type":"DELETE","kv":{"key":"L3AvYQ=="}}]}})");
  REQUIRE(changes);
  CHECK(changes->revision == 13);
  CHECK(changes->events == std::vector<EtcdEvent>{{false, {"/p/a", "v"}}, {true, {"/p/a", ""}}});
  CHECK_FALSE(changes->lost);
  CHECK(decode_changes(R"({"result":{"canceled":true,"compact_revision":"9"}})")->lost);
}

TEST_CASE("what is not such an answer is an error") {
  for (const char* json : {"", "{}", "[]", "1", "null", R"({"result":1})", "{\"ID\":\"x\"}"}) {
    CAPTURE(json);
    CHECK_FALSE(decode_lease_grant(json));
    CHECK_FALSE(decode_range(json));
  }
  CHECK_FALSE(decode_keep_alive("{}"));
  CHECK_FALSE(decode_changes("{}"));
  CHECK(decode_changes(R"({"error":{"message":"no leader"}})").error().message() ==
        "etcd: no leader");
  CHECK_FALSE(decode_range(R"({"header":{"revision":"1"},"kvs":{}})"));
  CHECK_FALSE(decode_range(R"({"header":{"revision":"1"},"kvs":[{"key":"%%"}]})"));
  CHECK_FALSE(decode_range(R"({"header":{"revision":"1"},"kvs":[{}]})"));
  CHECK_FALSE(decode_changes(R"({"result":{"events":[{}]}})"));
}

TEST_CASE("a registration comes back as it was") {
  const Peer peer{.id = "host-a", .address = "host-a:10915", .leaf = "leaf-1", .rail = "0"};
  CHECK(decode_registration("host-a", encode_registration(peer)) == peer);
  CHECK(encode_registration({.id = "x", .address = "x:1", .leaf = "\xff"}).find("leaf") !=
        std::string::npos);
}

TEST_CASE("a registration that is none is refused") {
  for (const char* json : {"", "{}", R"({"address":1})", R"({"address":"not an address"})",
                           R"({"address":"a:1","labels":{"leaf":"x\ny"}})"}) {
    CAPTURE(json);
    CHECK_FALSE(decode_registration("a", json));
  }
  CHECK_FALSE(decode_registration("", R"({"address":"a:1"})"));
  CHECK_FALSE(decode_registration("a\nb", R"({"address":"a:1"})"));
  const auto peer = decode_registration("a", R"({"address":"a:1","labels":{"instance":"b"}})");
  REQUIRE(peer);
  CHECK(peer->id == "a");
}
