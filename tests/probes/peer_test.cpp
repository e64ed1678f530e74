#include "probes/discovery/peer.h"

#include <catch2/catch.hpp>

using namespace rdmadiag::probes;

TEST_CASE("a peer's address gets a port and one spelling") {
  CHECK(parse_peer_address("node2:10915") == "node2:10915");
  CHECK(parse_peer_address("Node2.Example.COM") == "node2.example.com:10915");
  CHECK(parse_peer_address("node2.example.com.:80") == "node2.example.com:80");
  CHECK(parse_peer_address("192.0.2.1:65535") == "192.0.2.1:65535");
  CHECK(parse_peer_address("[2001:DB8::1]:80") == "[2001:db8::1]:80");
  CHECK(parse_peer_address("[2001:db8::1]") == "[2001:db8::1]:10915");
  CHECK(parse_peer_address("a_b-c", 7) == "a_b-c:7");
}

TEST_CASE("what would not be a host and a port in a URL is no address") {
  for (const char* text :
       {"",          ":80",          ".",           "node:",        "node:0",         "node:65536",
        "node:-1",   "node:8x",      "2001:db8::1", "[2001:db8::1", "[]:80",          "[node]:80",
        "[::1]x:80", "user@node:80", "node/path",   "node?x",       "http://node:80", "no de:80",
        "node\n:80", "n\\o:80",      "%6eode:80",   "\xc3\xa9:80"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_peer_address(text));
  }
  CHECK_FALSE(parse_peer_address(std::string(254, 'a')));
  CHECK_FALSE(parse_peer_address(std::string("a\0b:80", 6)));
}

TEST_CASE("known labels are set, others passed over, bad values refused") {
  Peer peer;
  CHECK(set_peer_label(peer, "leaf", "leaf-12"));
  CHECK(set_peer_label(peer, "rail", "0"));
  CHECK(set_peer_label(peer, "pod", "p1"));
  CHECK(set_peer_label(peer, "instance", "host-a"));
  CHECK(set_peer_label(peer, "instance", ""));
  CHECK(set_peer_label(peer, "team", "x\n"));
  CHECK(peer == Peer{.id = "host-a", .address = "", .leaf = "leaf-12", .rail = "0", .pod = "p1"});
  CHECK_FALSE(set_peer_label(peer, "leaf", "a\nb"));
  CHECK_FALSE(set_peer_label(peer, "leaf", std::string(129, 'a')));
  CHECK(peer.leaf == "leaf-12");
}
