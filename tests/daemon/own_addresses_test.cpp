#include "agent/daemon/own_addresses.h"

#include <catch2/catch.hpp>

using rdmadiag::daemon::OwnAddresses;

TEST_CASE("an agent knows itself by name and by address, at its own ports only") {
  const OwnAddresses own("Node1.example.com", {"0.0.0.0:10915", "[::]:10916"});
  CHECK(own.contains("node1.example.com:10915"));
  CHECK(own.contains("NODE1:10915"));
  CHECK(own.contains("127.0.0.1:10915"));
  CHECK(own.contains("127.0.0.1:10916"));
  CHECK(own.contains("localhost:10915"));
  CHECK_FALSE(own.contains("127.0.0.1:10917"));
  CHECK_FALSE(own.contains("node2.example.com:10915"));
  CHECK_FALSE(own.contains("192.0.2.1:10915"));
  CHECK_FALSE(own.contains("nonsense"));
  CHECK_FALSE(own.contains(""));
  CHECK(own.advertised() == "node1.example.com:10915");
}

TEST_CASE("without a port there is nothing to advertise and nobody to be") {
  const OwnAddresses own("node1", {});
  CHECK(own.advertised().empty());
  CHECK_FALSE(own.contains("node1:10915"));
}
