#include "agent/cli/pseudonyms.h"

#include <catch2/catch.hpp>

using rdmadiag::cli::Pseudonyms;

TEST_CASE("an original always gets the same stand-in, another one another") {
  Pseudonyms names;
  const auto first = names.rewrite("0c42:a103:0065:1d7e");
  CHECK(first != "0c42:a103:0065:1d7e");
  CHECK(names.rewrite("0c42:a103:0065:1d7e") == first);
  CHECK(names.rewrite("0c42:a103:0065:1d7f") != first);
  CHECK(names.rewrite("node 0x0c42a10300651d7e!") == "node 0x0200000000000001!");
  CHECK(first == "0200:0000:0000:0001");
}

TEST_CASE("an empty name names nothing") {
  Pseudonyms names;
  CHECK(names.name("netdev", "").empty());
  CHECK(names.known_name("") == nullptr);
  CHECK(names.name("netdev", "ens5") == "netdev1");
  CHECK(names.rewrite("on ens5") == "on netdev1");
}

TEST_CASE("what means nothing in particular stays") {
  Pseudonyms names;
  for (const char* text :
       {"0000:0000:0000:0000", "0000:0000:0000:0000:0000:0000:0000:0000", "00:00:00:00:00:00",
        "ff:ff:ff:ff:ff:ff", "0.0.0.0", "127.0.0.1", "::1", "::", "4: ACTIVE",
        "100 Gb/sec (4X EDR)", "0x2651e848", "12345678901234567", "0000:3b:00.0", "RoCE v2",
        "Mellanox MT4129", "6.1.0-32-amd64", "10:30:00"}) {
    CHECK(names.rewrite(text) == text);
  }
  CHECK(names.lid(0) == 0);
  CHECK(names.lid(0xffff) == 0xffff);
  CHECK(names.lid(0xc001) == 0xc001);
}

TEST_CASE("the kind of an address stays") {
  Pseudonyms names;
  const auto link_local = names.rewrite("fe80:0000:0000:0000:bee9:2fff:fe12:3450");
  CHECK(link_local == "fe80:0000:0000:0000:0200:00ff:fe00:0001");
  const auto mapped = names.rewrite("0000:0000:0000:0000:0000:ffff:0a10:0407");
  CHECK(mapped == "0000:0000:0000:0000:0000:ffff:c612:0102");
  CHECK(names.rewrite("10.16.4.7") == "198.18.1.2");
  CHECK(names.rewrite("169.254.7.9").starts_with("169.254."));
  CHECK(names.rewrite("2a00:1450:4001:82a::200e").starts_with("2001:db8:"));
  CHECK(names.rewrite("fe80::5054:ff:fe12:3456").starts_with("fe80::"));
}

TEST_CASE("neighbours stay neighbours") {
  Pseudonyms names;
  CHECK(names.rewrite("10.1.2.3") == "198.18.1.2");
  CHECK(names.rewrite("10.1.2.4") == "198.18.1.3");
  CHECK(names.rewrite("10.1.3.4") == "198.18.2.2");
  const auto a = names.rewrite("fd00:1:2:3::1");
  const auto b = names.rewrite("fd00:1:2:3::2");
  CHECK(a.substr(0, a.find("200:")) == b.substr(0, b.find("200:")));
  CHECK(a != b);
}

TEST_CASE("a MAC address and the interface identifier made of it belong together") {
  Pseudonyms names;
  CHECK(names.rewrite("fe80:0000:0000:0000:5054:00ff:fe12:3456") ==
        "fe80:0000:0000:0000:0200:00ff:fe00:0001");
  CHECK(names.rewrite("52:54:00:12:34:56") == "00:00:00:00:00:01");
}

TEST_CASE("addresses are found inside text") {
  Pseudonyms names;
  CHECK(names.rewrite("at 10.1.2.3:10915, via 10.1.2.3/24 (10.1.2.3).") ==
        "at 198.18.1.2:10915, via 198.18.1.2/24 (198.18.1.2).");
  CHECK(names.rewrite("mac=52:54:00:12:34:56\n") == "mac=00:00:00:00:00:01\n");
}

TEST_CASE("known names are replaced where they stand alone") {
  Pseudonyms names;
  CHECK(names.name("netdev", "ens5") == "netdev1");
  CHECK(names.name("netdev", "ens5.100") == "netdev2");
  CHECK(names.name("host", "gpu-17") == "host1");
  CHECK(names.name("netdev", "ens5") == "netdev1");
  CHECK(names.rewrite("ens5 ens5.100 ens5.7 ens50 xens5 gpu-17:ens5") ==
        "netdev1 netdev2 netdev1.7 ens50 xens5 host1:netdev1");
}
