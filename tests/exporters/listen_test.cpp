#include "exporters/listen.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstring>

using namespace rdmadiag::exporters;
using rdmadiag::core::UniqueFd;

TEST_CASE("listen addresses as the flag takes them") {
  const auto check = [](const char* text, const char* host, int port) {
    CAPTURE(text);
    const auto address = parse_listen_address(text);
    REQUIRE(address);
    CHECK(address->host == host);
    CHECK(address->port == port);
  };
  check(":10915", "", 10915);
  check("localhost:0", "localhost", 0);
  check("192.0.2.1:65535", "192.0.2.1", 65535);
  check("[::1]:80", "::1", 80);
  check("[fe80::1%eth0]:80", "fe80::1%eth0", 80);
}

TEST_CASE("a bad listen address says what is wrong with it") {
  const auto check = [](const char* text, const char* why) {
    const auto address = parse_listen_address(text);
    REQUIRE_FALSE(address);
    CHECK(address.error().message() == std::string("bad listen address \"") + text + "\": " + why);
  };
  check("10915", "want host:port or :port");
  check("", "want host:port or :port");
  check("::1:80", "an IPv6 address goes in brackets, as in [::1]:10915");
  check("[::1:80", "an IPv6 address goes in brackets, as in [::1]:10915");
  check("[host]:80", "brackets are for IPv6 addresses");
  check("host:", "the port is a number from 0 to 65535");
  check("host:65536", "the port is a number from 0 to 65535");
  check("host:-1", "the port is a number from 0 to 65535");
  check("host:80x", "the port is a number from 0 to 65535");
  check("host: 80", "the port is a number from 0 to 65535");
}

TEST_CASE("a port in use is named") {
  const auto first = open_listener({"127.0.0.1", 0});
  REQUIRE(first);
  const std::string name = listener_name(*first);
  const auto second = parse_listen_address(name).and_then(open_listener);
  REQUIRE_FALSE(second);
  CHECK(second.error().message() == "listening on " + name + ": Address already in use");
}

TEST_CASE("an address this host does not have is named") {
  const auto socket = open_listener({"192.0.2.1", 1});
  REQUIRE_FALSE(socket);
  CHECK(socket.error().message() == "listening on 192.0.2.1:1: Cannot assign requested address");
  const auto unknown = open_listener({"no such host", 1});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message().starts_with("listening on no such host:1: "));
}

TEST_CASE("only a listening stream socket is taken over") {
  const auto listening = open_listener({"127.0.0.1", 0});
  REQUIRE(listening);
  CHECK(adopt_listener(*listening));
  const UniqueFd idle(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(adopt_listener(idle).error().what.ends_with("is not a listening stream socket"));
  const UniqueFd datagram(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  CHECK_FALSE(adopt_listener(datagram));
  CHECK_FALSE(adopt_listener(UniqueFd()));
}

namespace {

sockaddr_storage v6(std::initializer_list<int> bytes) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  std::size_t i = 0;
  for (const int byte : bytes) {
    address.sin6_addr.s6_addr[i++] = static_cast<unsigned char>(byte);
  }
  sockaddr_storage out{};
  std::memcpy(&out, &address, sizeof address);
  return out;
}

sockaddr_storage v4(unsigned host_order) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host_order);
  sockaddr_storage out{};
  std::memcpy(&out, &address, sizeof address);
  return out;
}

}  // namespace

TEST_CASE("clients are told apart by IPv4 address or IPv6 /64") {
  const auto mapped = v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1});
  CHECK(peer_name(mapped) == "192.0.2.1");
  CHECK(peer_group(mapped) == peer_group(v4(0xC0000201)));
  CHECK(peer_group(v4(0xC0000201)) != peer_group(v4(0xC0000202)));
  const auto a = v6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1});
  const auto same = v6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 9, 9, 9, 9, 9, 9, 9, 9});
  const auto other = v6({0x20, 1, 0xd, 0xb8, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(peer_name(a) == "2001:db8:0:1::1");
  CHECK(peer_group(a) == peer_group(same));
  CHECK(peer_group(a) != peer_group(other));
  sockaddr_storage local{};
  local.ss_family = AF_UNIX;
  CHECK(peer_name(local) == "unix");
  CHECK(peer_group(local).empty());
}
